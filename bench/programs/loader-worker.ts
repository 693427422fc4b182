// workerd: loads fresh Workers and sends each a request, while the host takes the time.

interface LoadedWorker {
  getEntrypoint(): { fetch(url: string): Promise<Response> }
}
interface Env {
  LOADER: { get(id: string, code: () => object): LoadedWorker }
}
interface Context {
  exports: { default(options: { props: object }): unknown }
}
interface Order {
  name: string
  /** Given once, before anything is measured. */
  code?: string
  date: string
  /** A name for each isolate to load. */
  ids: string[]
}

const codes = new Map<string, string>()

export default {
  async fetch(request: Request, { LOADER, ...bindings }: Env, { exports }: Context): Promise<Response> {
    const { name, code, date, ids } = (await request.json()) as Order
    if (code !== undefined) codes.set(name, code)
    // A KV namespace cannot be passed on. This has a `get` as well, which is all that GET /health looks for.
    const env = { ...bindings, STATE: exports.default({ props: {} }) }
    for (const id of ids) {
      const worker = LOADER.get(id, () => ({
        compatibilityDate: date,
        mainModule: 'main.js',
        modules: { 'main.js': codes.get(name) },
        env,
      }))
      const response = await worker.getEntrypoint().fetch('http://127.0.0.1/health')
      if (!response.ok) return response
      await response.arrayBuffer()
    }
    return new Response('done')
  },
}
