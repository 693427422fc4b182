// workerd: loads fresh Workers and asks each once, while the host takes the time.

interface LoadedWorker {
  getEntrypoint(): { fetch(url: string): Promise<Response> }
}
interface Env {
  LOADER: { get(id: string, code: () => object): LoadedWorker }
}

export default {
  async fetch(request: Request, { LOADER }: Env): Promise<Response> {
    const { ids, code, date } = (await request.json()) as { ids: string[]; code: string; date: string }
    for (const id of ids) {
      const worker = LOADER.get(id, () => ({
        compatibilityDate: date,
        mainModule: 'main.js',
        modules: { 'main.js': code },
      }))
      await (await worker.getEntrypoint().fetch('http://bench/health')).arrayBuffer()
    }
    return new Response('done')
  },
}
