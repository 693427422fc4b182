import { expect } from 'vitest'
import { type Bench, createBench, direct, type Json, post, SPLIT } from '../call.ts'
import { WRONG } from './kinds.ts'
import type { Create } from './row.ts'
import { RECURRING, recurring, type Target } from './targets.ts'

/** A probe that changes a full request in one place. */

/** Sends `full` with other values of some parameters, `undefined` for none; a field of `args` names what is refused. */
export class Probe {
  readonly bench: Bench
  readonly target: Target
  #count = 0

  /** Strict where the API document is silent: a note would hide the rules of its own tables. */
  constructor(create: Create, target: Target, strict: boolean = /refund|void|split\/capture/.test(target.path)) {
    this.bench = createBench({ customerFields: 'required', strict }, create)
    this.target = target
  }

  async send(change: Json): Promise<{ status: number; names: string[] }> {
    this.#count += 1
    const body = { ...(await this.target.full(this.bench, this.#count)), ...change }
    const response = await post(this.bench.emulator, this.target.path, body)
    const answer = response.status === 400 ? ((await response.json()) as Json) : {}
    const args = Array.isArray(answer.args) ? (answer.args as Json[]) : []
    return { status: response.status, names: args.map(({ field_name }) => String(field_name)) }
  }

  async accepts(change: Json = {}): Promise<void> {
    expect(await this.send(change)).toEqual({ status: this.target.ok, names: [] })
  }

  async refuses(name: string, change: Json): Promise<void> {
    expect([change, await this.send(change)]).toEqual([change, { status: 400, names: expect.arrayContaining([name]) }])
  }
}

export interface Parameter {
  name: string
  type: string
  required: boolean
  notes: string
}

/** Everything that a row of a request table says about one parameter, which may be one of `init_recurring`. */
export async function holds(create: Create, target: Target, parameter: Parameter): Promise<void> {
  const { name, type, required, notes } = parameter
  const probe = new Probe(create, target)
  const fieldName = target === recurring ? `init_recurring.${name}` : name
  const set = (value: unknown): Json =>
    target === recurring ? { init_recurring: { ...RECURRING, [name]: value } } : { [name]: value }
  const wrong = WRONG[type]
  if (wrong === undefined) throw new Error(`No wrong values for the type ${type}`)
  await probe.accepts()
  for (const none of [undefined, null]) {
    // A strict emulator takes no null for "all that is left".
    if (required || (none === null && name === 'refund_amount')) await probe.refuses(fieldName, set(none))
    else if (!CARD.includes(name)) await probe.accepts(set(none))
  }
  if (required && type === 'String') await probe.refuses(fieldName, set(''))
  for (const value of wrong) await probe.refuses(fieldName, set(value))
  const most = Number(/[Aa]t most (\d+) characters/.exec(notes)?.[1] ?? Number.NaN)
  if (!Number.isNaN(most)) {
    // Letters count, however they are encoded. Of a secondary operation, the order has to be there.
    if (name !== 'order_id' || /payment|purchase/.test(target.path)) await probe.accepts(set('🙂'.repeat(most)))
    await probe.refuses(fieldName, set('🙂'.repeat(most + 1)))
    // The API document gives such a text a greatest length alone.
    if (!required) await probe.accepts(set(''))
  }
  if (notes.includes('yyyy-MM-dd')) await probe.refuses(fieldName, set('1990-02-30'))
  if (notes.includes('alpha-2')) for (const code of ['UKR', 'ZZ', 'ua']) await probe.refuses(fieldName, set(code))
}

/** A request that is wrong in itself is refused before the order that it names is looked for. */
export async function checkedBeforeTheOrder(create: Create, target: Target): Promise<void> {
  const bench = createBench({}, create)
  const full = await target.full(bench, 1)
  for (const [more, status] of [
    [{}, 404],
    [{ order_currency: 'uah', currency: 'uah' }, 400],
  ] as const) {
    expect((await post(bench.emulator, target.path, { ...full, ...more, order_id: 'unknown' })).status).toBe(status)
  }
}

export const CARD = ['cc_number', 'exp_month', 'exp_year', 'card_cvv', 'cc_token']

/** "Number" stands for money and for parts of a date alike; the notes tell them apart. */
export function typeOf(name: string, cell: string): string {
  if (cell === 'Number' && name.includes('amount')) return 'Amount'
  return /^Array/.test(cell) ? 'Array' : cell
}

/** Card data left out. */
export const NO_CARD: Json = Object.fromEntries(CARD.map((name) => [name, undefined]))

/** cc_token instead of card data: of the right type, and one that was issued before. */
export async function tokenRow(create: Create): Promise<void> {
  const { emulator } = createBench({}, create)
  const { cc_token, cc_mask } = (await (await post(emulator, '/api/v1/payment', direct(emulator))).json()) as Json
  for (const path of ['/api/v1/split/purchase', '/api/v1/payment']) {
    const byToken = (token: unknown) =>
      direct(emulator, { ...NO_CARD, cc_token: token, order_id: `${path}-${token}`, split: SPLIT })
    const paid = await post(emulator, path, byToken(cc_token))
    expect(await paid.json()).toMatchObject({ status: 'success', cc_token, cc_mask })
    expect((await post(emulator, path, byToken(12))).status).toBe(400)
  }
}
