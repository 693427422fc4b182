// The template, which reports in headers how often a request called KV and how many keys that returned. `/bench/list` is
// a bare list on the same store.

import type { ExecutionContext, KVNamespace, KVNamespaceListOptions } from '@cloudflare/workers-types'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import worker from '../../worker/index.ts'

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/bench/list') {
      const { searchParams } = url
      const limit = Number(searchParams.get('limit'))
      const { keys } = await env.STATE.list({ prefix: searchParams.get('prefix') ?? '', limit })
      return new Response(String(keys.length))
    }
    const count = { calls: 0, keys: 0 }
    const counted = { ...env, STATE: counting(env.STATE, count) }
    const original = await worker.fetch(request, counted, context as never)
    const response = new Response(original.body, original)
    response.headers.set('x-kv-calls', String(count.calls))
    response.headers.set('x-kv-keys', String(count.keys))
    return response
  },
}

function counting(kv: KVNamespace, count: { calls: number; keys: number }): KVNamespace {
  return {
    get: (key: string) => {
      count.calls++
      return kv.get(key)
    },
    put: (...given: Parameters<KVNamespace['put']>) => {
      count.calls++
      return kv.put(...given)
    },
    delete: (key: string) => {
      count.calls++
      return kv.delete(key)
    },
    list: async (options: KVNamespaceListOptions) => {
      count.calls++
      const page = await kv.list(options)
      count.keys += page.keys.length
      return page
    },
  } as unknown as KVNamespace
}
