import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApp } from '../../src/shop/app.ts'
import { openKvStore } from '../../src/shop/kv/kv.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import { eventually } from '../support/eventually.ts'
import { payment } from './support/events.ts'
import { ADMIN_TOKEN, log, ORDER, ownLog, World } from './support/world.ts'

/** The lines of a kind. */
const lines = (kind: string, from = 0, written: unknown[][] = log): Record<string, unknown>[] =>
  written.slice(from).flatMap(([line]) => {
    const parsed = typeof line === 'string' && line.startsWith('{"kind"') ? JSON.parse(line) : {}
    return parsed.kind === kind ? [parsed] : []
  })

/** The JSON of a webhook's `data`. */
function textOfData(data: string): string {
  const bytes = Uint8Array.from(atob(data.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  return new TextDecoder().decode(bytes)
}

describe('onEvent', () => {
  it('gets the events that failed least first when the shop is back', async () => {
    const seen: unknown[] = []
    let isDown = true
    const onEvent: OnEvent = ({ event }) => {
      if (isDown) throw new Error('the shop is down')
      seen.push((event.record as { comment?: unknown }).comment)
    }
    const world = new World({ kind: 'strict', onEvent })
    await world.deliver(payment('A-1', { status: 'pending', comment: '1st' }))
    await world.advance(300_000)
    // The cron is late: the first was due before the second came.
    world.time += 3_600_000
    await world.post(world.signed(payment('A-1', { status: 'pending', comment: '2nd' })))
    await world.idle()
    world.time += 2_000
    isDown = false
    await world.cron()
    expect(seen).toEqual(['2nd', '1st'])
  })

  it('that hangs counts as failed after 25 seconds, and is called again', async () => {
    // The time limit is caught, so that the test can end it at once; not that of a worker which another test left behind.
    const limits: (() => void)[] = []
    const { setTimeout } = globalThis
    const timers = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((run: () => void, ms?: number) =>
        ms === 25_000 && ownLog.getStore() ? limits.push(run) : setTimeout(run, ms)) as typeof setTimeout)
    onTestFinished(() => timers.mockRestore())
    let calls = 0
    const own: unknown[][] = []
    await ownLog.run(own, async () => {
      const world = new World({ onEvent: () => (++calls === 1 ? new Promise<void>(() => {}) : undefined) })
      const body = world.signed(payment('A-1'))
      expect((await world.post(body)).status).toBe(200)
      const due = world.cron()
      await eventually(() => expect(calls).toBe(1))
      // That of the response comes first.
      expect(limits).toHaveLength(2)
      timers.mockRestore()
      limits[1]?.()
      await due
      expect(lines('on_event_failed', 0, own)).toMatchObject([{ order_id: 'A-1', error: 'TimeoutError' }])
      await world.untilHandled()
      expect(calls).toBe(2)
    })
  })
})

describe('what the shop’s people find', () => {
  it('the strays, page by page, each once', async () => {
    const world = new World()
    for (const remark of [1, 2, 3]) await world.deliver({ remark })
    const pageOf = async (query: string) => (await world.api(`/api/strays?limit=2${query}`)).json()
    const first = (await pageOf('')) as { strays: { id: string }[]; cursor: string }
    const last = (await pageOf(`&cursor=${first.cursor}`)) as typeof first
    expect([last.cursor, new Set([...first.strays, ...last.strays].map(({ id }) => id)).size]).toEqual([null, 3])
    const done = `/api/strays/${encodeURIComponent(first.strays[0]?.id ?? '')}/done`
    const finish = async () => (await world.api(done, { method: 'POST' })).status
    expect([await finish(), await finish()]).toEqual([200, 404])
    // An empty page of KV is not the end.
    const pages = [
      { keys: [], cursor: 'on' },
      { keys: [{ name: 'a' }], list_complete: true },
    ]
    const { rows, cursor } = await openKvStore({ list: async () => pages.shift() } as never).page('', 2)
    expect([rows.map(({ key }) => key), cursor]).toEqual([['a'], undefined])
  })

  it.each(['true', 'false'])(
    'no card data in what is kept of a webhook that is nested too deeply, KEEP_CARD_TOKEN being %s',
    async (KEEP_CARD_TOKEN) => {
      for (const order_id of ['A-1', undefined]) {
        const world = new World({ env: { KEEP_CARD_TOKEN } })
        const secret =
          '"cc_number":"4111111111111111","CVV2":"737","card\\u005fcvv":"737","cc_token":"tok-1","note":"\\"é"'
        const deep = `${'['.repeat(10_000)}{${secret}}${']'.repeat(10_000)}`
        const text = JSON.stringify({ ...payment('A-1'), order_id }).replace(/\}$/, `,"payload":${deep},${secret}}`)
        expect((await world.post(world.signed(text))).status).toBe(200)
        const stored = [...(await world.stored('')).values()].map((value) => {
          const { data } = value as { data?: string }
          return data === undefined ? JSON.stringify(value) : textOfData(data)
        })
        // Bun's JSON has no such limit: there it is an event like any other, which keeps the token.
        const cut = /4111111111111111|"737"/
        expect(stored.filter((one) => cut.test(one))).toEqual([])
        const { strays } = (await (await world.api('/api/strays')).json()) as { strays: { id: string }[] }
        if (strays.length === 0) continue
        expect(stored.filter((one) => one.includes('tok-1'))).toEqual([])
        const { data } = (await (await world.api(`/api/strays/${strays[0]?.id}`)).json()) as { data: string }
        const rawText = textOfData(data)
        const event = JSON.parse(rawText) as Record<string, unknown>
        expect(event).toMatchObject({ amount: 100.5, note: '"é', payload: [[expect.anything()]] })
        expect(rawText).toContain(`${'['.repeat(10_000)}{"note":"\\"é"}${']'.repeat(10_000)}`)
      }
    },
  )

  it('the text of what onEvent threw with the event, and its name alone in the log', async () => {
    const thrown: unknown[] = [
      Object.assign(new RangeError(`could not mail ${ORDER.customer_email}`), {
        code: `550 ${ORDER.customer_email}`,
        reason: ORDER.customer_phone,
      }),
      `could not mail ${ORDER.customer_email}`,
      Object.assign(new Error('x'), { name: `Error of ${ORDER.customer_email}` }),
    ]
    for (const [i, error] of thrown.entries()) {
      const fails = () => {
        throw error
      }
      const world = new World({ onEvent: fails, onAlert: fails })
      const from = log.length
      await world.deliver(payment('mugs-9'))
      await world.advance(2_000)
      await world.idle()
      const path = '/api/events?failing=true'
      const { events } = (await (await world.api(path)).json()) as { events: { error: string }[] }
      const next_at = new Date(world.time - 1_000).toISOString()
      expect(events).toMatchObject([{ order_id: 'mugs-9', attempts: 1, given_up: false, next_at }])
      expect(events[0]?.error).toContain(ORDER.customer_email)
      const failed = lines('on_event_failed', from).find(({ order_id }) => order_id === 'mugs-9')
      expect(failed?.error).toBe(['RangeError', 'string', 'object'][i])
      const text = JSON.stringify(log.slice(from))
      expect([text.includes(ORDER.customer_email), text.includes(ORDER.customer_phone)]).toEqual([false, false])
    }
  })

  it('the text and the place of what onEvent threw in the log too, beside an emulator on this machine', async () => {
    const world = new World({
      env: { BASE_URL: 'http://127.0.0.1:4010' },
      onEvent() {
        throw new TypeError('rows.push is not a function')
      },
    })
    const from = log.length
    await world.deliver(payment('mugs-9'))
    await world.idle()
    expect(lines('on_event_failed', from)[0]).toMatchObject({
      error: 'TypeError',
      stack: expect.stringMatching(/^TypeError: rows\.push is not a function\n {4}at .*merchant\.test\.ts/),
    })
  })

  it('an unexpected error as the name and the place, because its text may repeat what a customer entered', async () => {
    const world = new World()
    const from = log.length
    const app = createApp({
      now: () => {
        throw new SyntaxError(`Unexpected token in ${ORDER.customer_email}`)
      },
    })
    const body = JSON.stringify({ order: { ...ORDER, order_id: 'A-1' } })
    const init = { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, body }
    const response = await app.request('/api/links', init, world.env())
    expect(response.status).toBe(500)
    const at = expect.arrayContaining([expect.stringMatching(/\d/)])
    expect(lines('failure', from)).toMatchObject([{ code: 'internal', error: 'SyntaxError', at }])
    expect(log.slice(from).filter(([line]) => String(line).includes('SyntaxError'))).toHaveLength(1)
    expect(JSON.stringify(log.slice(from))).not.toContain(ORDER.customer_email)
  })
})
