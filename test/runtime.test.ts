import { expect, it } from 'vitest'
import { createClient } from '../src/index.ts'
import { signWebhook, verifyWebhook } from '../src/webhooks/index.ts'

const environment = globalThis as { EDGETILL_WITHOUT_NODE?: boolean; process?: unknown; Buffer?: unknown }

it('has process and Buffer everywhere but in a Worker of 2026-08-03', () => {
  const [process, Buffer] = environment.EDGETILL_WITHOUT_NODE ? ['undefined', 'undefined'] : ['object', 'function']
  expect(typeof environment.process).toBe(process)
  expect(typeof environment.Buffer).toBe(Buffer)
})

it('needs nothing but web standards to be imported, to verify a webhook and to make a client', () => {
  const record = { method: 'loyalty', order_id: 'A-1' }
  const { data, signature } = signWebhook(record, 'secret')
  expect(verifyWebhook({ data, signature }, 'secret')).toEqual({ kind: 'unknown', ...record })
  expect(() => createClient({} as never)).toThrow(/baseUrl/)
})
