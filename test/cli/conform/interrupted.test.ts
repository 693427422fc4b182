import { describe, expect, it, vi } from 'vitest'
import type { ConformOptions } from '../../../src/cli/conform/index.ts'
import { idsOf, openConform } from './support/project.ts'

/** Ends a run at its n-th request, which is sent before (`after`) or not at all, and keeps the state of that moment. */
async function interruptAt(n: number, when: 'before' | 'after', killed: boolean) {
  const { run, emulator, store, probes, given } = openConform()
  const stopped = new AbortController()
  const { fetch: send } = given.config
  let isDead = false
  const fetch: ConformOptions['config']['fetch'] = async (input, init) => {
    const isLast = probes.length === n - 1
    if (isLast && when === 'after') await send?.(input, init)
    if (probes.length < n - 1) return (await send?.(input, init)) as Response
    isDead = killed
    stopped.abort()
    throw new DOMException('stopped', 'AbortError')
  }
  // Whoever is killed writes nothing any more.
  const dying = { ...store, save: async (state: never) => (isDead ? undefined : await store.save(state)) }
  const first = await run({ config: { ...given.config, fetch }, signal: stopped.signal, store: dying })
  const stored = store.text
  const second = await run()
  return { first, kept: stored, second, emulator, store, again: () => run() }
}

describe('an interrupted run', () => {
  it('goes on wherever it was interrupted, and ends everything that it made', { timeout: 120_000 }, async () => {
    const { run, probes } = openConform()
    const whole = await run()
    expect(probes.length).toBeGreaterThan(60)
    for (let n = 2; n <= probes.length; n++) {
      const when = n % 2 === 0 ? 'before' : 'after'
      const { first, second, emulator, store } = await interruptAt(n, when, n % 3 === 0)
      expect([n, first]).toEqual([n, undefined])
      // No story is played again that was played to its end.
      expect((second?.made.length ?? 0) - (whole?.made.length ?? 0)).toBeLessThanOrEqual(2)
      expect([n, idsOf(second, 'differs')]).toEqual([n, []])
      const made = second?.made.map(({ order_id }) => order_id) ?? []
      const orders = emulator.orders.list()
      expect([n, orders.filter(({ order_id }) => !made.includes(order_id))]).toEqual([n, []])
      // A call that was never sent may still be on its way, for ten minutes.
      const open = second?.made.filter((one) => one.now === undefined || one.open) ?? []
      const unsent = open.filter(({ order_id, what }) => what !== 'checkout' && !emulator.orders.get(order_id))
      expect([n, open]).toEqual([n, unsent])
      expect([n, store.text === undefined]).toEqual([n, unsent.length === 0])
      // Nothing is unpaid, held or paid: every payment was cancelled, voided or given back.
      for (const { order_id } of orders) expect([n, leftOf(emulator, order_id)]).toEqual([n, 'nothing'])
    }
  })

  it('takes a payment that is not shown for one that was never made after ten minutes, not before', async () => {
    // Its first direct payment: the request of it is not sent.
    const { run, probes } = openConform()
    await run()
    const n = probes.findIndex(({ body }) => body.mode === 'direct') + 1
    const { second, again } = await interruptAt(n, 'before', true)
    expect(second?.made.filter(({ open }) => open)).toMatchObject([
      {
        what: 'authorization',
        now: expect.stringMatching(/^0\.02 UAH may be taken or held: the service does not show it; run/),
      },
    ])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
    const third = await again().finally(() => vi.useRealTimers())
    expect([third?.made[0]?.now, third?.made.some(({ open }) => open)]).toEqual(['never made', false])
  })

  it('has the amount that is sent in the state of a crash, not half of it', async () => {
    const { run, probes } = openConform()
    await run()
    const n = probes.findIndex(({ body }) => body.mode === 'direct') + 1
    const { kept } = await interruptAt(n, 'after', true)
    expect(probes[n - 1]?.body.amount).toBe(0.02)
    expect(JSON.parse(kept ?? '').made.at(-1)).toMatchObject({ what: 'authorization', amount: 0.02 })
  })

  it('does not go on with the state of another project', async () => {
    const { kept } = await interruptAt(20, 'after', false)
    const { run, store } = openConform({ credentials: { posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11' } })
    store.text = kept
    await expect(run()).rejects.toMatchObject({ code: 'config', field: 'state' })
    store.text = '[]'
    await expect(run()).rejects.toMatchObject({ code: 'config', field: 'state' })
  })
})

/** The parts of an order that are still unpaid, held or paid. */
function leftOf(emulator: ReturnType<typeof openConform>['emulator'], order_id: string): string {
  const { payments: [payment] = [], operations = [], recurring } = emulator.orders.get(order_id) ?? {}
  if (payment?.status === 'failure') return 'nothing'
  if (recurring && recurring.status !== 'canceled') return `a subscription: ${recurring.status}`
  const done = [payment, ...operations].filter((one) => one?.status === 'success')
  const cents = (method: string) =>
    done.reduce((sum, one) => sum + (one?.method === method ? Math.round(one.amount * 100) : 0), 0)
  const paid = cents('purchase') + cents('capture')
  return cents('void') > 0 || (paid > 0 && paid === cents('refund')) ? 'nothing' : `${payment?.status} ${paid}`
}
