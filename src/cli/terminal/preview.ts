import { createClient } from '../../client/client.ts'
import type { Client } from '../../client/client-methods.ts'
import type { ClientConfig } from '../../config.ts'
import { isApiError } from '../../errors.ts'

export type PlannedRequest = { method: string; url: string; body: Record<string, unknown> }

/** Plans a call: the SDK builds and checks the request, and a `fetch` that reaches nothing keeps it. */
export async function planned(config: ClientConfig, call: (client: Client) => Promise<unknown>) {
  let request: PlannedRequest | undefined
  const silent = { onRequest: undefined, onResponse: undefined, onRetry: undefined, onError: undefined }
  const client = createClient({
    ...config,
    ...silent,
    async fetch(input, init) {
      const sent = new Request(input, init)
      const text = await sent.text()
      request = { method: sent.method, url: sent.url, body: text === '' ? {} : JSON.parse(text) }
      return new Response('{}', { status: 400 })
    },
  })
  await call(client).catch((error: unknown) => {
    if (!isApiError(error)) throw error
  })
  if (!request) throw new Error('The call made no request.')
  return request
}
