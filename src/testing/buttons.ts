import { createClient } from '../client/client.ts'
import { pay } from '../emulator/pay.ts'
import { fromMinorUnits } from '../helpers/amount.ts'
import { control } from './deliveries.ts'
import {
  type AskedOrder,
  ProveError,
  type ProvePress,
  type ProveState,
  pause,
  type Shop,
  type ShopButton,
  type ShopOptions,
  untilStill,
} from './tested-shop.ts'

/** How a button is pressed, in words. */
export const PRESSES = {
  twice: 'is pressed, and pressed again',
  sides: 'is pressed from two sides at once',
  keys: 'is pressed by two people at once, each with a key of their own',
  lost: 'is pressed; the service does it, and its response is lost; it is pressed again',
  killed: 'is pressed; the service does it, and the shop is killed before it reads the response; it is pressed again',
} as const
type Press = keyof typeof PRESSES
const FAULTS = { lost: { kind: 'reset', when: 'after_commit' }, killed: { kind: 'slow_body', ms: 100 } } as const
/** Two presses of the second part exceed the order. */
const [ASKED, PART, MOST] = [10_050, 3_020, 6_030]
/**
 * The pause before a repeated press; how long nothing may change before a verdict, usually and after a 202, as a worker
 * may refund every few seconds; and the longest wait for a verdict.
 */
const [PRESS_MS, STILL_MS, ACCEPTED_MS, MAX_MS] = [1_000, 12_000, 20_000, 60_000]

/** The wrong ends of a press: made twice, of another amount, unknown to the shop, or never made. */
export type WrongPress = 'twice' | 'other' | 'lost' | 'never'
const BUTTONS = ['refund', 'capture'] as const
type Button = (typeof BUTTONS)[number]

/** Where the shop and its emulator are, and how long the shop may take. */
type ButtonOptions = ShopOptions & { [name in Button]?: ShopButton | undefined } & {
  emulator?: string | undefined
  settleMs: number
}

/** Presses the shop's own buttons, against an emulator that is served, and returns the presses that ended wrong. */
export async function pressButtons(options: ButtonOptions, shop: Shop, run: number): Promise<Pressed[]> {
  const pressed: Pressed[] = []
  let slowest = 0
  for (const name of BUTTONS) {
    if (options[name] === undefined) continue
    for (const [n, how] of (Object.keys(PRESSES) as Press[]).entries()) {
      if (how === 'killed' && options.restart === undefined) continue
      const one = await pressButton(options, shop, name, how, `prove-${run.toString(36)}-${name[0]}${n}`, slowest)
      pressed.push(one)
      slowest = Math.max(slowest, one.tookMs)
      // Wait only once for a webhook that never comes: leave out the button's other presses.
      if (one.wrong === 'lost' || one.wrong === 'never') break
    }
  }
  // Look again: a worker may have done the second press since.
  for (const one of pressed) if (one.wrong === undefined) one.wrong = await one.look()
  return pressed.filter(({ wrong }) => wrong !== undefined)
}

/** A button that was pressed. */
export interface Pressed {
  name: Button
  how: Press
  order: ProvePress
  wanted: number
  answers: (number | string)[]
  /** How long nothing may change before a verdict. */
  stillMs: number
  /** From the last press to its end. */
  tookMs: number
  /** The amounts that the service moved, and the shop's state. */
  moved: number[]
  seen?: ProveState | undefined
  wrong?: WrongPress | undefined
  /** Looks again at the moved amounts. Undefined: as it should be. */
  look(): Promise<WrongPress | undefined>
}

/** Tolerates any amount of a shop: it is judged, not rejected. */
const minorOf = (amount: unknown): number => Math.round(Number(amount ?? 0) * 100)

/** @param slowest How long the slowest press before it took, in milliseconds. */
async function pressButton(options: ButtonOptions, shop: Shop, name: Button, how: Press, id: string, slowest: number) {
  const order = await shop.create({ order_id: id, amount: fromMinorUnits(ASKED), currency: 'UAH' })
  const { order_id, currency } = order
  const wanted = Math.max(1, Math.round((minorOf(order.amount) * (how === 'keys' ? MOST : PART)) / ASKED))
  const served = { baseUrl: options.emulator, fetch: options.fetch }
  const call = (path: string, body?: object): Promise<unknown> =>
    control('prove', served, body ? 'POST' : 'GET', path, body).catch((cause: Error) => {
      throw new ProveError(cause.message, { cause })
    })
  const of = `order_id=${encodeURIComponent(order_id)}`
  const credentials = { ...((await call('credentials')) as Credentials), fetch: options.fetch }
  const more = { server_url: options.url, ...(name === 'capture' && { method: 'auth' }) }
  await pay(order.url ?? (await sell(credentials, order, more)), { fetch: options.fetch })
  await call(`deliveries?${of}&status=delivered&wait=5s`)
  for (let i = 0; i < 20 && (await shop.state(order_id)) === undefined; i++) await pause(50)

  const press = { order_id, amount: fromMinorUnits(wanted), currency, key: crypto.randomUUID() }
  const one: Pressed = {
    name,
    how,
    order: { ...order, key: press.key },
    wanted,
    answers: [],
    stillMs: STILL_MS,
    tookMs: 0,
    moved: [],
    look,
  }
  async function look(): Promise<WrongPress | undefined> {
    const { operations } = (await call(`orders?${of}`)) as { operations: Record<string, unknown>[] }
    const madeByPress = operations.filter(({ method, status }) => method === name && status !== 'failure')
    one.moved = madeByPress.map(({ amount }) => minorOf(amount))
    one.seen = await shop.state(order_id)
    if (one.moved.length > 1) return 'twice'
    if (one.moved.length === 1 && one.moved[0] !== wanted) return 'other'
    const isRejected = one.answers.length > 1 && one.answers.every((answer) => Number(answer) >= 400)
    // Two people at once may both be rejected.
    if (one.moved.length === 0) return how === 'keys' && isRejected ? undefined : 'never'
    return minorOf(name === 'refund' ? one.seen?.refunded : one.seen?.paid) === wanted ? undefined : 'lost'
  }
  const once = async (key = press.key) =>
    void one.answers.push(await shop.press(options[name] as string, { ...press, key }))
  if (how in FAULTS) await call('faults', { next: { ...FAULTS[how as 'lost'], on: `${name}-payment`, order_id } })
  const isTwo = how === 'sides' || how === 'keys'
  const first = isTwo ? Promise.all([once(), once(how === 'keys' ? crypto.randomUUID() : undefined)]) : once()
  if (how === 'killed') {
    for (let ms = 0; ms < Math.max(3_000, 2 * slowest) && (await look()) === 'never'; ms += 50) await pause(50)
    await shop.restart()
  }
  await first
  if (!isTwo) await once()

  const usualMs = Math.max(one.answers.includes(202) ? ACCEPTED_MS : STILL_MS, 3 * slowest)
  one.stillMs = Math.max(options.settleMs, usualMs + (how === 'killed' ? shop.restartMs : 0))
  const began = Date.now()
  let pressedAt = began
  const ended = async (): Promise<string> => {
    one.wrong = await look()
    return /lost|never/.test(one.wrong ?? '') ? JSON.stringify([one.moved, one.seen]) : ''
  }
  const pressAgain = async (): Promise<void> => {
    options.onWait?.(`The ${name} has not ended yet.`)
    if (!(how in FAULTS) || Date.now() - pressedAt < PRESS_MS) return
    pressedAt = Date.now()
    // The service sends its webhooks again.
    await call('clock', { minutes: 1 })
    await once()
  }
  await untilStill(ended, () => one.stillMs, Math.max(MAX_MS, one.stillMs), pressAgain)
  if (one.wrong === undefined) one.tookMs = Date.now() - began
  if (one.moved.length === 0 && how === 'twice' && Number(one.answers[0]) >= 400) {
    const gets = 'It gets a form with order_id, amount, currency and key.'
    throw new ProveError(`The ${name} could not be pressed: it responded ${one.answers.join(', then ')}. ${gets}`)
  }
  return one
}

export type Credentials = Parameters<typeof createClient>[0]

/** Makes a checkout, and returns its address. */
export async function sell(credentials: Credentials, order: AskedOrder, more: object): Promise<string> {
  const client = createClient({ onWarning() {}, ...credentials })
  const payment = {
    mode: 'hosted',
    method: 'purchase',
    order_3ds_bypass: 'supported',
    description: 'An order of prove',
  }
  const checkout = await client.createPayment({ ...payment, ...order, ...more } as never)
  return (checkout as { url: string }).url
}
