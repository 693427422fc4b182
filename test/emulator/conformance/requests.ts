import { expect } from 'vitest'
import {
  type Bench,
  cardForm,
  createBench,
  direct,
  FINGERPRINT,
  hosted,
  type Json,
  openCheckout,
  post,
  SPLIT,
  submit,
} from '../call.ts'
import { WRONG } from './kinds.ts'
import { type Create, namesIn, type Row, row, sentenceOf, tableOf } from './row.ts'

/** The request tables of the document, read row by row: what is required, of what type, and how long it may be. */

interface Target {
  path: string
  ok: number
  /** A request with every parameter of the table. `number` makes its order_id new. */
  full(bench: Bench, number: number): Promise<Json> | Json
}

export const OPTIONAL: Json = {
  customer_id: 'C-1',
  customer_patronym: 'Ivanivna',
  customer_country: 'UA',
  customer_birthday: '1990-12-31',
  customer_referrer: 'https://shop.example/cart',
  customer_tax_id: '1234567890',
  merchant_mcc: '5812',
  payload: '{"cart":1}',
  validation_url: 'https://shop.example/validate',
}

export const RECURRING: Json = {
  interval_unit: 'month',
  interval_count: 1,
  retry_attempts: 2,
  retry_interval_hours: 12,
  start_date: '2026-03-01',
  expiry_date: '2026-12-31',
  time: '10:30:00',
  notification_url: 'https://shop.example/recurring',
  amount: 5.25,
}

const splitDirect: Target = {
  path: '/api/v1/split/purchase',
  ok: 200,
  full: ({ emulator }, number) =>
    direct(emulator, { ...OPTIONAL, cryptogram: { v: 1 }, split: SPLIT, order_id: `S-${number}` }),
}

const splitHosted: Target = {
  path: '/api/v1/split/purchase',
  ok: 303,
  full: ({ emulator }, number) =>
    hosted(emulator, {
      ...OPTIONAL,
      customer_fname: 'Olena',
      customer_lname: 'Shevchenko',
      customer_lang: 'UK',
      split: SPLIT,
      order_id: `H-${number}`,
    }),
}

const auth: Target = {
  path: '/api/v1/payment',
  ok: 200,
  full: ({ emulator }, number) => direct(emulator, { ...OPTIONAL, method: 'auth', order_id: `P-${number}` }),
}

const hostedPayment: Target = {
  path: '/api/v1/payment',
  ok: 303,
  full: ({ emulator }, number) => hosted(emulator, { ...OPTIONAL, order_id: `P-${number}` }),
}

const recurring: Target = {
  ...hostedPayment,
  full: ({ emulator }, number) => hosted(emulator, { init_recurring: RECURRING, order_id: `R-${number}` }),
}

const capture: Target = {
  path: '/api/v1/capture',
  ok: 200,
  async full(bench, number) {
    const order_id = `C-${number}`
    await post(bench.emulator, '/api/v1/payment', direct(bench.emulator, { method: 'auth', order_id }))
    return {
      pos_id: bench.emulator.credentials.posId,
      order_id,
      order_currency: 'UAH',
      charge_amount: 10,
      products: [{ name: 'Book' }],
      comment: 'First part',
      server_url: 'https://shop.example/captures',
      f_receipt_delivery: 'email',
    }
  },
}

/** Sends `full` after a change; a field of `args` names what is refused. */
class Probe {
  readonly bench: Bench
  readonly target: Target
  #count = 0

  constructor(create: Create, target: Target) {
    this.bench = createBench({}, create)
    this.target = target
  }

  async send(change: (body: Json) => void): Promise<{ status: number; names: string[] }> {
    this.#count += 1
    const body = structuredClone(await this.target.full(this.bench, this.#count))
    change(body)
    const response = await post(this.bench.emulator, this.target.path, body)
    const answer = response.status === 400 ? ((await response.json()) as Json) : {}
    const args = Array.isArray(answer.args) ? (answer.args as Json[]) : []
    return { status: response.status, names: args.map(({ field_name }) => String(field_name)) }
  }

  async accepts(change: (body: Json) => void): Promise<void> {
    expect(await this.send(change)).toEqual({ status: this.target.ok, names: [] })
  }

  async refuses(name: string, change: (body: Json) => void): Promise<void> {
    const { status, names } = await this.send(change)
    expect(status).toBe(400)
    expect(names).toContain(name)
  }
}

interface Parameter {
  name: string
  type: string
  required: boolean
  notes: string
  /** Where the parameter lives, `init_recurring` for example. */
  inside?: string
}

/** Everything that a row of a request table says about one parameter. */
async function holds(
  create: Create,
  target: Target,
  { name, type, required, notes, inside }: Parameter,
): Promise<void> {
  const probe = new Probe(create, target)
  const place = (body: Json): Json => (inside === undefined ? body : (body[inside] as Json))
  const fieldName = inside === undefined ? name : `${inside}.${name}`
  const set = (value: unknown) => (body: Json) => {
    place(body)[name] = value
  }
  const unset = (body: Json) => {
    delete place(body)[name]
  }
  await probe.accepts(() => {})
  if (required) {
    await probe.refuses(fieldName, unset)
    await probe.refuses(fieldName, set(null))
  } else if (!CARD.includes(name)) {
    await probe.accepts(unset)
    await probe.accepts(set(null))
  }
  for (const value of WRONG[type] ?? []) await probe.refuses(fieldName, set(value))
  if (WRONG[type] === undefined) throw new Error(`No wrong values for the type ${type}`)
  const most = Number(/[Aa]t most (\d+) characters/.exec(notes)?.[1] ?? Number.NaN)
  if (!Number.isNaN(most)) {
    const fits =
      name === 'order_id' ? probe.refuses('order_id', set('x'.repeat(most + 1))) : probe.accepts(set('я'.repeat(most)))
    await fits
    await probe.refuses(fieldName, set('я'.repeat(most + 1)))
  }
  if (notes.includes('yyyy-MM-dd')) await probe.refuses(fieldName, set('1990-02-30'))
  if (notes.includes('alpha-2')) await probe.refuses(fieldName, set('UKR'))
}

const CARD = ['cc_number', 'exp_month', 'exp_year', 'card_cvv', 'cc_token']

/** "Number" stands for money and for parts of a date alike; the notes tell them apart. */
function typeOf(name: string, cell: string): string {
  if (cell === 'Number' && name.includes('amount')) return 'Amount'
  return /^Array/.test(cell) ? 'Array' : cell
}

function parameterRows(section: 'split-direct' | 'capture', target: Target): Row[] {
  return tableOf(section).map(({ line, cells: [cell = '', type = '', required = '', notes = ''] }) => ({
    section,
    sentence: line,
    run: async (create) => {
      const name = cell
      const own = {
        name,
        type: typeOf(name, type),
        required: required.startsWith('yes') && name !== 'charge_amount',
        notes,
      }
      if (name === 'cc_token') return tokenRow(create)
      await holds(create, target, own)
      if (name === 'charge_amount') await captureAmountRow(create)
      if (name === 'validation_url') await preflightRow(create)
      if (name === 'order_currency') await captureCurrencyRow(create)
      if (section === 'split-direct' && name !== 'split') {
        // "The remaining parameters are those of the corresponding purchase request."
        await holds(create, auth, own)
      }
    },
  }))
}

/** cc_token instead of card data: of the right type, and one that was issued before. */
async function tokenRow(create: Create): Promise<void> {
  const { emulator } = createBench({}, create)
  const first = (await (await post(emulator, '/api/v1/payment', direct(emulator))).json()) as Json
  const byToken = (order_id: string, cc_token: unknown): Json => {
    const {
      cc_number: _n,
      exp_month: _m,
      exp_year: _y,
      card_cvv: _c,
      ...rest
    } = direct(emulator, { order_id, split: SPLIT })
    return { ...rest, cc_token }
  }
  for (const path of ['/api/v1/split/purchase', '/api/v1/payment']) {
    const paid = await post(emulator, path, byToken(`T${path.length}`, first.cc_token))
    expect(await paid.json()).toMatchObject({ status: 'success', cc_token: first.cc_token, cc_mask: first.cc_mask })
    expect((await post(emulator, path, byToken(`U${path.length}`, 12))).status).toBe(400)
  }
}

/** "A preflight request is sent to this URL" */
async function preflightRow(create: Create): Promise<void> {
  const bench = createBench({}, create)
  for (const [index, target] of [splitDirect, splitHosted, auth].entries()) {
    await post(bench.emulator, target.path, await target.full(bench, index))
  }
  await post(bench.emulator, auth.path, direct(bench.emulator))
  await bench.emulator.deliveries.idle()
  expect(bench.preflights).toEqual(Array(3).fill('https://shop.example/validate'))
}

/** A request that is wrong in itself is refused before its order is looked for. */
async function captureCurrencyRow(create: Create): Promise<void> {
  const { emulator } = createBench({}, create)
  const { posId: pos_id } = emulator.credentials
  for (const [order_currency, status] of [
    ['uah', 400],
    [undefined, 400],
    ['UAH', 404],
  ] as const) {
    const response = await post(emulator, capture.path, { pos_id, order_id: 'unknown', order_currency })
    expect(response.status).toBe(status)
  }
}

/** "yes for a partial capture and for a capture beyond the reserve …. Omitted for a full capture" */
async function captureAmountRow(create: Create): Promise<void> {
  for (const [charge_amount, amount] of [
    [40.25, 40.25],
    [110, 110],
    [undefined, 100.5],
  ]) {
    const bench = createBench({}, create)
    const body = { ...(await capture.full(bench, 1)), charge_amount }
    const answer = (await (await post(bench.emulator, capture.path, body)).json()) as Json
    expect(answer.amount).toBe(amount)
  }
}

function hostedRows(): Row[] {
  const types = new Map(tableOf('split-direct').map(({ cells }) => [cells[0] ?? '', cells] as const))
  const required = sentenceOf('split-hosted', 'Required:')
  const optional = sentenceOf('split-hosted', 'Optional:')
  const parameter = (name: string, isRequired: boolean): Parameter => {
    const [, type = 'String', , notes = ''] = types.get(name) ?? []
    const own = name === 'validation_url' ? 'URL' : typeOf(name, type)
    return { name, type: own, required: isRequired, notes }
  }
  const each = (sentence: string, isRequired: boolean, names = namesIn(sentence)): Row[] =>
    names.map((name) => ({
      section: 'split-hosted',
      sentence,
      run: async (create) => {
        await holds(create, splitHosted, parameter(name, isRequired))
        if (name !== 'split') await holds(create, hostedPayment, parameter(name, isRequired))
      },
    }))
  return [
    ...each(required, true),
    ...each(optional, false),
    ...each('Types are as in the direct request.', true, ['amount', 'currency', 'order_id']).map((each) => each),
  ]
}

function recurringRows(): Row[] {
  return tableOf('recurring').map(({ line, cells: [name = '', type = '', required = ''] }) => ({
    section: 'recurring',
    sentence: line,
    run: (create) =>
      holds(create, recurring, {
        name,
        type: name === 'amount' ? 'Amount' : type,
        required: required === 'yes',
        notes: '',
        inside: 'init_recurring',
      }),
  }))
}

const splitEntryRows: Row[] = tableOf('split-entry')
  .filter(({ cells }) => cells.length === 4)
  .map(({ line, cells: [name = '', type = '', required = ''] }) => ({
    section: 'split-entry',
    sentence: line,
    run: async (create) => {
      for (const target of [splitDirect, splitHosted]) {
        const probe = new Probe(create, target)
        const entry = (body: Json): Json => (body.split as Json[])[1] as Json
        const field = `split[1].${name}`
        await probe.accepts((body) => {
          entry(body).products = [{ name: 'Book' }]
        })
        const drop = (body: Json) => {
          delete entry(body)[name]
        }
        if (required === 'yes') await probe.refuses(field, drop)
        else await probe.accepts(drop)
        for (const value of WRONG[typeOf(name, type)] ?? []) {
          await probe.refuses(field, (body) => {
            entry(body)[name] = value
          })
        }
        await probe.refuses('split[1]', (body) => {
          ;(body.split as unknown[])[1] = 'text'
        })
        await probe.refuses('split', (body) => {
          body.split = []
        })
      }
    },
  }))

/** Rules of requests that are sentences rather than rows of a table. */
const sentenceRows: Row[] = [
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
      const probe = new Probe(create, target)
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

export const requestRows: Row[] = [
  ...parameterRows('split-direct', splitDirect),
  ...parameterRows('capture', capture),
  ...hostedRows(),
  ...recurringRows(),
  ...splitEntryRows,
  ...sentenceRows,
]
