import { expect } from 'vitest'
import { createBench, direct, hosted, post, SPLIT } from '../call.ts'
import { type Row, row, rows } from './row.ts'
import { payDirect } from './samples.ts'
import { RECURRING } from './targets.ts'

/** Sentences that say that something is not shown: what the emulator does there is an assumption, held to here. */

export const openRows: Row[] = [
  row('create-payment', 'Hosted with `auth`: response', async (_, create) => {
    const { emulator } = createBench({ hostedAuthResponse: 'record' }, create)
    const response = await post(emulator, '/api/v1/payment', hosted(emulator, { method: 'auth' }))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ method: 'auth', mode: 'hosted', status: 'init' })
  }),
  row('limits', 'Relation between the sum', async (_, create) => {
    for (const [splitSum, status] of [
      ['any', 303],
      ['exact', 400],
    ] as const) {
      const { emulator } = createBench({ splitSum }, create)
      const short = hosted(emulator, { split: [{ ...SPLIT[0], amount: 1 }] })
      expect((await post(emulator, '/api/v1/split/purchase', short)).status).toBe(status)
      const exact = hosted(emulator, { split: SPLIT, order_id: 'B' })
      expect((await post(emulator, '/api/v1/split/purchase', exact)).status).toBe(303)
    }
  }),
  row('limits', 'Rate limits: not shown.', async ({ emulator }) => {
    emulator.faults.next({ kind: 'too_many_requests', retryAfter: 7 })
    const limited = await post(emulator, '/api/v1/payment', hosted(emulator))
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7'])
    expect((await post(emulator, '/api/v1/payment', hosted(emulator))).status).toBe(303)
  }),
  row('errors', 'Error body format for failed', async ({ emulator }) => {
    const invalid = await post(emulator, '/api/v1/payment', hosted(emulator, { amount: 0 }))
    expect(await invalid.json()).toEqual({
      message: 'Invalid parameters',
      args: [{ field_name: 'amount', violation: 'must be a positive number with at most 2 decimal digits' }],
    })
    await post(emulator, '/api/v1/payment', hosted(emulator))
    const taken = await post(emulator, '/api/v1/payment', hosted(emulator))
    expect([taken.status, await taken.json()]).toEqual([400, { message: expect.any(String), args: { code: 'P-409' } }])
  }),
  row('errors', 'HTTP status codes of the', async (bench) => {
    expect((await post(bench.emulator, '/api/v1/payment', direct(bench.emulator))).status).toBe(200)
    const unknown = await bench.emulator.fetch(`${bench.emulator.credentials.baseUrl}/api/v1/nowhere`, {
      method: 'POST',
    })
    const expected = { message: 'No such path', args: { code: 'EMULATOR-404' } }
    expect([unknown.status, await unknown.json()]).toEqual([404, expected])
  }),
  ...rows(['split-direct: HTTP status code of', 'recurring: Path for the direct'], async (bench) => {
    for (const [path, more] of [
      ['/api/v1/payment', { order_id: 'A' }],
      ['/api/v1/split/purchase', { order_id: 'B', split: SPLIT }],
    ] as const) {
      const record = await payDirect(bench, { ...more, init_recurring: RECURRING }, path)
      expect(record.recurring).toBeDefined()
    }
  }),
  row('create-payment', 'Whether `split` applies', async ({ emulator }) => {
    const right = hosted(emulator, { method: 'auth', split: SPLIT })
    expect((await post(emulator, '/api/v1/payment', right)).status).toBe(303)
    const wrong = hosted(emulator, { method: 'auth', split: 'half', order_id: 'B' })
    expect((await post(emulator, '/api/v1/payment', wrong)).status).toBe(400)
  }),
]
