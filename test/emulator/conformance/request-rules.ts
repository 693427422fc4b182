import { expect } from 'vitest'
import { cardForm, createBench, direct, FINGERPRINT, type Json, openCheckout, post, SPLIT, submit } from '../call.ts'
import { auth, CARD, hostedPayment, Probe, RECURRING, recurring, splitDirect, splitHosted, tokenRow } from './probe.ts'
import { namesIn, type Row, row, sentenceOf } from './row.ts'

/** Rules of requests that are sentences rather than rows of a table. */
export const requestRuleRows: Row[] = [
  row(
    'split-direct',
    'Either full card data (`cc_number`, `exp_month`, `exp_year`, `card_cvv`) or `cc_token` is sent.',
    async (create) => {
      for (const target of [splitDirect, auth]) {
        const probe = new Probe(create, target)
        for (const name of CARD.slice(0, 4)) {
          await probe.refuses(name, (body) => {
            delete body[name]
          })
        }
        await probe.refuses('cc_token', (body) => {
          body.cc_token = 'emulator-token'
        })
        await probe.refuses('cc_token', (body) => {
          for (const name of CARD) delete body[name]
        })
      }
    },
  ),
  row(
    'split-direct',
    '`cc_token` may come from an earlier card payment, or from a first payment made through a wallet method; wallet tokens carry the prefix `rcr:`.',
    async (create) => {
      await tokenRow(create)
      const probe = new Probe(create, splitDirect)
      const byToken = (cc_token: string) => (body: Json) => {
        for (const name of CARD) delete body[name]
        body.cc_token = cc_token
      }
      await probe.accepts(byToken('rcr:wallet-1'))
      await probe.accepts(byToken('unknown-1'))
      const statuses = probe.bench.emulator.orders.list().map(({ status }) => status)
      expect(statuses).toEqual(['success', 'failure'])
    },
  ),
  row(
    'split-direct',
    'The example requests omit the customer_* fields that the parameter table marks as required.',
    async (create) => {
      for (const customerFields of ['required', 'optional'] as const) {
        const { emulator } = createBench({ customerFields }, create)
        const body = direct(emulator, { split: SPLIT })
        for (const name of Object.keys(body)) if (name.startsWith('customer_')) delete body[name]
        const { status } = await post(emulator, '/api/v1/split/purchase', body)
        expect(status).toBe(customerFields === 'required' ? 400 : 200)
      }
    },
  ),
  row(
    'fingerprint',
    'All values are String and all ten keys must be sent with direct payments: `browserColorDepth`, `browserScreenHeight`, `browserScreenWidth`, `browserJavaEnabled`, `browserLanguage`, `browserTimeZone`, `browserTimeZoneOffset`, `browserAcceptHeader`, `browserIpAddress`, `browserUserAgent`.',
    async (create) => {
      const names = namesIn(sentenceOf('fingerprint', 'All values'))
      expect(names).toHaveLength(10)
      expect(names.sort()).toEqual(Object.keys(FINGERPRINT).sort())
      for (const target of [splitDirect, auth]) {
        const probe = new Probe(create, target)
        for (const name of names) {
          await probe.refuses(`browser_fingerprint.${name}`, (body) => {
            delete (body.browser_fingerprint as Json)[name]
          })
          await probe.refuses(`browser_fingerprint.${name}`, (body) => {
            ;(body.browser_fingerprint as Json)[name] = 24
          })
        }
      }
    },
  ),
  row('create-payment', '`method` is `auth`; `mode` is `direct` or `hosted`.', async (create) => {
    await new Probe(create, auth).accepts(() => {})
    await new Probe(create, hostedPayment).accepts((body) => {
      body.method = 'auth'
    })
    for (const target of [auth, hostedPayment]) {
      const probe = new Probe(create, target, true)
      for (const method of ['capture', 'void', 'refund', 'credit', 'p2p', 'lookup']) {
        await probe.refuses('method', (body) => {
          body.method = method
        })
      }
      await probe.refuses('mode', (body) => {
        body.mode = 'sideways'
      })
    }
    for (const target of [splitDirect, splitHosted]) {
      await new Probe(create, target).refuses('method', (body) => {
        body.method = 'auth'
      })
    }
  }),
  row(
    'create-payment',
    'The remaining parameters are those of the corresponding purchase request; the request shown also sends `customer_referrer` (URL).',
    async (create) => {
      const probe = new Probe(create, hostedPayment)
      await probe.accepts((body) => {
        body.customer_referrer = 'https://shop.example/'
      })
      await probe.accepts((body) => {
        delete body.customer_referrer
      })
      await probe.refuses('customer_referrer', (body) => {
        body.customer_referrer = 'no address'
      })
    },
  ),
  row(
    'create-payment',
    'Direct with `auth`: card data or `cc_token` rule as above; `browser_fingerprint` is sent.',
    async (create) => {
      const probe = new Probe(create, auth)
      await probe.refuses('browser_fingerprint', (body) => {
        delete body.browser_fingerprint
      })
      await probe.refuses('cc_token', (body) => {
        for (const name of CARD) delete body[name]
      })
    },
  ),
  row('create-payment', 'The same path is used for the hosted recurring request (section 6).', async (create) => {
    await new Probe(create, recurring).accepts(() => {})
  }),
  row(
    'recurring',
    'Created by adding an `init_recurring` object to a `purchase` request; the rest of the request follows the purchase rules.',
    async (create) => {
      const probe = new Probe(create, recurring)
      await probe.refuses('init_recurring', (body) => {
        body.method = 'auth'
      })
      for (const value of ['monthly', []]) {
        await probe.refuses('init_recurring', (body) => {
          body.init_recurring = value
        })
      }
      await probe.refuses('order_3ds_bypass', (body) => {
        delete body.order_3ds_bypass
      })
      const directly = new Probe(create, {
        ...auth,
        full: ({ emulator }, number) => direct(emulator, { init_recurring: RECURRING, order_id: `D-${number}` }),
      })
      await directly.accepts(() => {})
      await directly.refuses('init_recurring', (body) => {
        body.init_recurring = 'monthly'
      })
    },
  ),
  row('service', 'Split payments divide one purchase between sub-merchants.', async (create) => {
    const bench = createBench({}, create)
    const form = (await post(bench.emulator, splitHosted.path, await splitHosted.full(bench, 1))).headers.get(
      'location',
    )
    await submit(bench.emulator, form ?? '', cardForm('success'))
    await openCheckout(bench.emulator, { order_id: 'no-split' })
    expect(bench.emulator.orders.list().map(({ split, status }) => [split, status])).toEqual([
      [true, 'success'],
      [false, 'init'],
    ])
  }),
]
