/** Classifies addresses as public or special (RFC 6890 and its registries). Tested in `test/discovery/addressGuard.test.ts`. */

const v4 = (address: string): ReadonlyArray<number> | undefined => {
  const octets = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number)
  return octets?.every((octet) => octet < 256) === true ? octets : undefined
}

/** Network, prefix length, name. */
const special4: ReadonlyArray<readonly [network: string, bits: number, kind: string]> = [
  ["0.0.0.0", 8, "unspecified"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "carrier-grade NAT"],
  ["127.0.0.0", 8, "loopback"],
  ["168.63.129.16", 32, "cloud platform"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "reserved"],
  ["192.0.2.0", 24, "documentation"],
  ["192.88.99.0", 24, "reserved"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "benchmarking"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"]
]

const toNumber = (octets: ReadonlyArray<number>) => octets.reduce((sum, octet) => sum * 256 + octet, 0)

const kind4 = (octets: ReadonlyArray<number>): string | undefined => {
  const address = toNumber(octets)
  return special4.find(([network, bits]) =>
    Math.floor(address / 2 ** (32 - bits)) === Math.floor(toNumber(v4(network)!) / 2 ** (32 - bits))
  )?.[2]
}

/** Returns the eight groups of an address; `URL` reads all the ways to write them. */
const v6 = (address: string): ReadonlyArray<number> | undefined => {
  const host = URL.parse(`http://[${address.replace(/%.*$/, "")}]/`)?.hostname.slice(1, -1)
  if (host === undefined) return undefined
  const [head = [], tail] = host.split("::").map((part) => part === "" ? [] : part.split(":"))
  const middle = tail === undefined ? [] : Array.from({ length: 8 - head.length - tail.length }, () => "0")
  return [...head, ...middle, ...tail ?? []].map((group) => parseInt(group, 16))
}

const toOctets = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255]

/** Only global unicast is public; of an address that embeds an IPv4 address, the latter decides. */
const kind6 = (groups: ReadonlyArray<number>): string | undefined => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups
  const isLow = a === 0 && b === 0 && c === 0 && d === 0
  if (isLow && e === 0 && f === 0) return g === 0 && h <= 1 ? (h === 1 ? "loopback" : "unspecified") : "reserved"
  if (isLow && e === 0 && f === 0xffff) return kind4(toOctets(g, h))
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return kind4(toOctets(g, h))
  if (a === 0x2002) return kind4(toOctets(b, c))
  if ((a & 0xfe00) === 0xfc00) return "private"
  if ((a & 0xffc0) === 0xfe80) return "link-local"
  if ((a & 0xff00) === 0xff00) return "multicast"
  if ((a === 0x2001 && b === 0xdb8) || (a === 0x3fff && b < 0x1000)) return "documentation"
  if (a === 0x2001 && b < 0x200) return "reserved"
  return (a & 0xe000) === 0x2000 ? undefined : "reserved"
}

/** Returns the kind of a special IP address; `undefined` for a public address, and for text that is not an address. */
export const kindOf = (address: string): string | undefined => {
  const octets = v4(address)
  if (octets !== undefined) return kind4(octets)
  const groups = address.includes(":") ? v6(address) : undefined
  return groups === undefined ? undefined : kind6(groups)
}

/** Names that are local by agreement or by custom (RFC 6761, RFC 6762 and its appendix G, ICANN). */
const local = /(?:^|\.)(?:localhost|local|internal|home\.arpa|intranet|private|corp|home|lan)\.?$/i

/** Returns the kind of a URL's host: an address, or a name that is local. */
export const kindOfHost = (host: string): string | undefined =>
  local.test(host) ? "local" : kindOf(host.replace(/^\[|\]$/g, ""))
