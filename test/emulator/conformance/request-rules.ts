import { expect } from 'vitest'
import { createBench, direct, FINGERPRINT, post, SPLIT } from '../call.ts'
import { CARD, holds, NO_CARD, Probe, tokenRow } from './probe.ts'
import { namesIn, type Row, row, rows, sentenceOf } from './row.ts'
import { auth, hostedPayment, RECURRING, recurring, splitDirect, splitHosted } from './targets.ts'

/** Rules of requests that are sentences rather than rows of a table. */
export const requestRuleRows: Row[] = [
  ...rows(['split-direct: Either full card data', 'create-payment: Direct with `auth`'], async (_, create) => {
    for (const target of [splitDirect, auth]) {
      const probe = new Probe(create, target)
      for (const name of CARD.slice(0, 4)) await probe.refuses(name, { [name]: undefined })
      await probe.refuses('cc_token', { cc_token: 'emulator-token' })
      await probe.refuses('cc_token', NO_CARD)
      await probe.refuses('browser_fingerprint', { browser_fingerprint: undefined })
    }
  }),
  ...rows(['split-direct: `cc_token` may come from', 'service: `direct`: the merchant'], async (_, create) => {
    await tokenRow(create)
    const probe = new Probe(create, splitDirect)
    for (const cc_token of ['rcr:wallet-1', 'unknown-1']) await probe.accepts({ ...NO_CARD, cc_token })
    const payments = probe.bench.emulator.orders.list().map(({ payments: [one] }) => `${one?.mode} ${one?.status}`)
    expect(payments).toEqual(['direct success', 'direct failure'])
  }),
  row('split-direct', 'The example requests omit', async (_, create) => {
    for (const customerFields of ['required', 'optional'] as const) {
      const { emulator } = createBench({ customerFields }, create)
      const sent = Object.entries(direct(emulator, { split: SPLIT }))
      const body = Object.fromEntries(sent.filter(([name]) => !name.startsWith('customer_')))
      const { status } = await post(emulator, '/api/v1/split/purchase', body)
      expect(status).toBe(customerFields === 'required' ? 400 : 200)
    }
  }),
  row('fingerprint', 'All values are String and', async (_, create) => {
    const names = namesIn(sentenceOf('fingerprint', 'All values'))
    expect(names).toHaveLength(10)
    expect(names.sort()).toEqual(Object.keys(FINGERPRINT).sort())
    for (const target of [splitDirect, auth]) {
      const probe = new Probe(create, target)
      for (const name of names) {
        for (const value of [undefined, 24]) {
          const browser_fingerprint = { ...FINGERPRINT, [name]: value }
          await probe.refuses(`browser_fingerprint.${name}`, { browser_fingerprint })
        }
      }
    }
  }),
  row('create-payment', '`method` is `auth`; `mode`', async (_, create) => {
    await new Probe(create, auth).accepts()
    await new Probe(create, hostedPayment).accepts({ method: 'auth' })
    for (const target of [auth, hostedPayment]) {
      const probe = new Probe(create, target, true)
      for (const method of ['capture', 'void', 'refund', 'credit', 'p2p', 'lookup']) {
        await probe.refuses('method', { method })
      }
      await probe.refuses('mode', { mode: 'sideways' })
    }
    for (const target of [splitDirect, splitHosted])
      await new Probe(create, target).refuses('method', { method: 'auth' })
  }),
  row('create-payment', 'The remaining parameters', (_, create) =>
    holds(create, hostedPayment, { name: 'customer_referrer', type: 'URL', required: false, notes: '' }),
  ),
  ...rows(['create-payment: The same path is used for', 'recurring: Created by adding an'], async (_, create) => {
    const probe = new Probe(create, recurring)
    await probe.accepts()
    await probe.refuses('init_recurring', { method: 'auth' })
    for (const init_recurring of ['monthly', []]) await probe.refuses('init_recurring', { init_recurring })
    await probe.refuses('order_3ds_bypass', { order_3ds_bypass: undefined })
    const directly = new Probe(create, {
      ...auth,
      full: ({ emulator }, number) => direct(emulator, { init_recurring: RECURRING, order_id: `D-${number}` }),
    })
    await directly.accepts()
    await directly.refuses('init_recurring', { init_recurring: 'monthly' })
  }),
]
