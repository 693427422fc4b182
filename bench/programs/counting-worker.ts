// The template, which reports in headers how often a request called KV and how many keys that returned. `/bench/list` is
// a bare list on the same store.

import type { ExecutionContext } from '@cloudflare/workers-types'
import type { KvNamespace } from '../../src/shop/runtime.ts'
import type { Env } from '../../worker/env.ts'
import worker, { OrderGate } from '../../worker/index.ts'

export { OrderGate }

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

function counting(kv: KvNamespace, count: { calls: number; keys: number }): KvNamespace {
  return {
    get: (key: string) => {
      count.calls++
      return kv.get(key)
    },
    put: (...given: Parameters<KvNamespace['put']>) => {
      count.calls++
      return kv.put(...given)
    },
    delete: (key: string) => {
      count.calls++
      return kv.delete(key)
    },
    list: async (options?: Parameters<KvNamespace['list']>[0]) => {
      count.calls++
      const page = await kv.list(options)
      count.keys += page.keys.length
      return page
    },
  }
}
