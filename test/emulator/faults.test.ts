import { describe, expect, it } from 'vitest'
import { describeFault } from '../../src/emulator/faults/fault.ts'
import { ConnectionResetError, type EmulatorOptions, type Fault } from '../../src/emulator/index.ts'
import { verifySignature } from '../../src/webhooks/index.ts'
import { type Bench, createBench, direct, hosted, type Json, post } from './call.ts'
import { eventsOf, payDirect, sendCapture } from './conformance/samples.ts'

/** A bench whose first payment meets a fault. */
async function faulty(fault: Fault, options: EmulatorOptions = {}, more: Json = {}): Promise<Bench> {
  const bench = createBench(options)
  bench.emulator.faults.next(fault)
  await payDirect(bench, more)
  return bench
}

describe('faults of responses', () => {
  it('break the connection, or respond with a wrong body, before or after the request was executed', async () => {
    const { emulator } = createBench()
    const answer = async (fault: Fault) => {
      emulator.faults.next(fault)
      const order_id = `F-${emulator.faults.fired().length}`
      const response = await post(emulator, '/api/v1/payment', direct(emulator, { order_id })).catch((error) => error)
      if (!(response instanceof ConnectionResetError)) return `${response.status} ${await response.text()}`
      expect(response).toMatchObject({ name: 'ConnectionResetError', code: 'ECONNRESET' })
      return `committed: ${response.committed}`
    }
    expect(await answer({ kind: 'reset', when: 'before_commit' })).toBe('committed: false')
    expect(emulator.orders.list()).toEqual([])
    expect(await answer({ kind: 'reset', when: 'after_commit' })).toBe('committed: true')
    expect(await answer({ kind: 'server_error', status: 500, body: 'empty' })).toBe('500 ')
    expect(await answer({ kind: 'server_error', body: 'truncated' })).toMatch(/^503 <!doctype html>(?!.*<\/html>)/s)
    expect(await answer({ kind: 'body', body: 'empty' })).toBe('200 ')
    expect(await answer({ kind: 'body', body: 'truncated' })).toMatch(/^200 \{"payment_id"(?!.*\}$)/)
    expect(await answer({ kind: 'body', body: 'html' })).toMatch(/^200 .*<h1>/s)
    expect(emulator.orders.list()).toHaveLength(6)
  })

  it('send a body in pieces', async () => {
    const { emulator } = createBench()
    emulator.faults.next({ kind: 'slow_body', ms: 1, pieces: 4 })
    const response = await post(emulator, '/api/v1/payment', direct(emulator))
    const pieces: string[] = []
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) pieces.push(part.value)
    expect(pieces).toHaveLength(4)
    expect(JSON.parse(pieces.join(''))).toMatchObject({ status: 'success' })
  })

  it('never respond: the caller aborts, and cannot know whether it was executed', async () => {
    const { emulator } = createBench()
    for (const when of ['before_commit', 'after_commit'] as const) {
      emulator.faults.next({ kind: 'no_response', when })
      const gaveUp = new AbortController()
      const { signal } = gaveUp
      const answer = post(emulator, '/api/v1/payment', direct(emulator, { order_id: when }), undefined, { signal })
      const refused = expect(answer).rejects.toMatchObject({ name: 'AbortError' })
      // Requests that came later are answered meanwhile, their bodies read like this one's: it has had its turn.
      for (let i = 0; i < 5; i++) await post(emulator, '/_emulator/api/clock', {})
      gaveUp.abort()
      await refused
    }
    expect(emulator.orders.list().map(({ order_id }) => order_id)).toEqual(['after_commit'])
  })
})

it('a redirect, which has no body, does not use up a fault of contents or of the body', async () => {
  const { emulator } = createBench()
  const faults: Fault[] = [
    { kind: 'null_fee', on: 'create-payment' },
    { kind: 'unknown_status', on: 'create-payment' },
    { kind: 'slow_body', ms: 1, pieces: 3 },
    { kind: 'body' },
    { kind: 'body', body: 'empty' },
  ]
  for (const [index, fault] of faults.entries()) {
    emulator.faults.next(fault)
    const order_id = `H-${index}`
    expect((await post(emulator, '/api/v1/payment', hosted(emulator, { order_id }))).status).toBe(303)
    expect([fault, emulator.faults.fired().length]).toEqual([fault, index])
    await post(emulator, '/api/v1/payment', direct(emulator, { order_id: `D-${index}` }))
    expect([fault, emulator.faults.fired().length]).toEqual([fault, index + 1])
  }
  emulator.faults.next({ kind: 'body', body: 'html' })
  const changed = await post(emulator, '/api/v1/payment', hosted(emulator, { order_id: 'H' }))
  expect([changed.status, await changed.text()]).toEqual([303, expect.stringContaining('<h1>')])
})

describe('faults of webhooks', () => {
  it('change contents: strings for numbers, no fee, unknown fields, status and method', async () => {
    const { emulator, received } = createBench()
    const kinds = ['numbers_as_strings', 'null_fee', 'unknown_fields', 'unknown_status', 'unknown_method'] as const
    for (const kind of kinds) {
      emulator.faults.next({ kind })
      await post(emulator, '/api/v1/payment', direct(emulator, { order_id: kind }))
    }
    await emulator.deliveries.idle()
    const [strings, fee, fields, status, method] = received.map(({ event }) => event)
    expect([strings?.amount, ((strings?.fee ?? {}) as Json).amount]).toEqual(['100.5', '1.61'])
    expect(fee?.fee).toBe(null)
    expect(fields?.emulator_extra).toEqual({ since: 'now' })
    expect(status?.status).toBe('emulator_unknown')
    expect(method?.method).toBe('emulator_unknown')
    expect(emulator.orders.get('unknown_status')?.status).toBe('success')
  })

  it('are explained by the text that is sent', async () => {
    const [event] = await eventsOf(await faulty({ kind: 'numbers_as_strings' }))
    const [, text, number] = /"(.*)" for (.*)\.$/.exec(describeFault('numbers_as_strings').says) ?? []
    expect([event?.amount, Number(event?.amount)]).toEqual([text, Number(number)])
  })

  it('leave out the padding of data, rightly signed', async () => {
    const { emulator, received } = createBench()
    for (let i = 0; i < 6; i++) {
      emulator.faults.next({ kind: 'missing_padding' })
      await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'x'.repeat(i + 1) }))
    }
    await emulator.deliveries.idle()
    for (const { form, event } of received) {
      const [data, signature] = [form.get('data') ?? '', form.get('signature') ?? '']
      expect([data.length % 4 > 0, event.status]).toEqual([true, 'success'])
      expect(verifySignature(data, signature, emulator.credentials.apiSecret)).toBe(true)
    }
    expect(received).toHaveLength(6)
  })

  it.each<[Fault, ms: number]>([
    [{ kind: 'drop' }, 5000],
    [{ kind: 'delay', ms: 60_000 }, 60_000],
    // Held back for the next of its order, which does not come within the hour.
    [{ kind: 'reorder' }, 3_600_000],
  ])('%j: the webhook comes when the clock has advanced by %i ms', async (fault, ms) => {
    const { emulator, received } = await faulty(fault, { retryDelaysMs: [5000] })
    await emulator.clock.advance({ ms: ms - 1 })
    expect(received).toEqual([])
    await emulator.clock.advance({ ms: 1 })
    expect(received).toHaveLength(1)
    if (fault.kind !== 'drop') return
    expect(emulator.deliveries[0]?.attempts).toMatchObject([
      { at: '2026-01-31T10:00:00.000', error: 'dropped on purpose' },
      { at: '2026-01-31T10:00:05.000', status: 200 },
    ])
  })

  it("hold a webhook back until after the order's next one", async () => {
    const bench = await faulty({ kind: 'reorder' }, {}, { method: 'auth' })
    await payDirect(bench, { order_id: 'other' })
    await sendCapture(bench)
    const sent = (await eventsOf(bench)).map(({ order_id, method }) => `${order_id} ${method}`)
    expect(sent).toEqual(['other purchase', 'A-1 capture', 'A-1 auth'])
  })
})

describe('rates', () => {
  const run = async (seed: number): Promise<number[]> => {
    const { emulator } = createBench({ seed })
    emulator.faults.rate({ kind: 'too_many_requests' }, 0.3)
    const statuses: number[] = []
    for (let i = 0; i < 60; i++) {
      statuses.push((await post(emulator, '/api/v1/payment', hosted(emulator, { order_id: `R-${i}` }))).status)
    }
    return statuses
  }

  it('fire as often as they say, and alike under one seed', async () => {
    const first = await run(11)
    expect(await run(11)).toEqual(first)
    expect(await run(12)).not.toEqual(first)
    const struck = first.filter((status) => status === 429).length
    expect(struck).toBeGreaterThan(8)
    expect(struck).toBeLessThan(30)
  })

  it('do not shift ids: the same orders get the same ids with and without faults', async () => {
    const ids = async (faulty: boolean): Promise<unknown> => {
      const { emulator } = createBench()
      if (faulty) emulator.faults.rate({ kind: 'duplicate' }, 0.5)
      for (let i = 0; i < 5; i++) await post(emulator, '/api/v1/payment', direct(emulator, { order_id: `I-${i}` }))
      await emulator.deliveries.idle()
      // The timeline alone tells them apart: it says which faults fired.
      return emulator.orders.list().map(({ timeline: _, ...order }) => order)
    }
    expect(await ids(true)).toEqual(await ids(false))
  })
})
