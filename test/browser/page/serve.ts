/** Serves calls in a worker of either kind: a message is a call, its reply the result. */
type Calls = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Promise<unknown>>>
type Call = { readonly name: string; readonly args: ReadonlyArray<unknown> }

export const serve = (loaded: Promise<object>) =>
  globalThis.addEventListener("message", (event) => {
    const { data, ports: [port] } = event as MessageEvent<Call>
    loaded.then((calls) => (calls as Calls)[data.name]!(...data.args)).then(
      (answer) => port?.postMessage(answer),
      (error) => port?.postMessage({ error: String(error) })
    )
  })
