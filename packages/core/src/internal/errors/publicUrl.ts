/** Removes from a URL what may be secret: user name and password, query, fragment. */
export const publicUrl = (url: string | URL): string =>
  String(url).replace(/[?#].*$/s, "").replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@]*@/i, "$1")
