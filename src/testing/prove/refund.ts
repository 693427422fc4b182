import { createClient } from '../../client/client.ts'
import { pay } from '../../emulator/pay.ts'
import { adviceOf, type Cause } from './causes.ts'
import type { ProveFinding } from './finding.ts'
import { minorOf } from './judge.ts'
import { ProveError, type ProvePress, type ProveState, type Resolved } from './options.ts'
import { pause, type StoryStep } from './run.ts'
import type { Shop } from './shop.ts'
import { decimals } from './story.ts'

/** How a button is pressed, in words. */
const PRESSES = {
  twice: 'is pressed, and pressed again',
  sides: 'is pressed from two sides at once',
  lost: 'is pressed; the service does it, and its response is lost; it is pressed again',
  killed: 'is pressed; the shop is killed while the service does it; it is pressed again',
} as const

const ASKED = 10_050
const PART = 3_020
/** The service takes so long that the shop is killed in between. */
const LATENCY_MS = 300
const KILL_MS = 100
const PAUSES_MS = [50, 200, 400, 800, 1_500]

interface Button {
  name: 'refund' | 'capture'
  operation: 'refund-payment' | 'capture-payment'
  of(state: ProveState | undefined): number
}

const BUTTONS: readonly Button[] = [
  { name: 'refund', operation: 'refund-payment', of: (state) => minorOf(state?.refunded ?? 0) },
  { name: 'capture', operation: 'capture-payment', of: (state) => minorOf(state?.paid ?? 0) },
]

/** Presses the shop's own buttons, against an emulator that is served, and compares what moved with what was meant. */
export async function proveButtons(options: Resolved, shop: Shop, run: number): Promise<ProveFinding[]> {
  const findings: ProveFinding[] = []
  for (const button of BUTTONS) {
    if (options[button.name] === undefined) continue
    for (const [n, how] of (Object.keys(PRESSES) as (keyof typeof PRESSES)[]).entries()) {
      if (how === 'killed' && options.restart === undefined) continue
      const order_id = `prove-${run.toString(36)}-${button.name[0]}${n}`
      const finding = await pressed(options, shop, button, how, order_id)
      if (finding === undefined) continue
      findings.push(finding)
      // What never comes is waited for once.
      if (finding.cause !== 'refunds_twice') break
    }
  }
  return findings
}

async function pressed(
  options: Resolved,
  shop: Shop,
  button: Button,
  how: keyof typeof PRESSES,
  id: string,
): Promise<ProveFinding | undefined> {
  const { name, operation, of } = button
  const order = await shop.create({ order_id: id, amount: decimals(ASKED), currency: 'UAH' })
  const { order_id, currency } = order
  const amount = decimals(Math.max(1, Math.round((minorOf(order.amount) * PART) / ASKED)))
  const control = await openControl(options, order_id)
  await control.sell(order, name === 'capture' ? 'auth' : 'purchase')
  await until(async () => (await shop.state(order_id)) !== undefined)
  const press: ProvePress = { order_id, amount, currency, key: crypto.randomUUID() }
  const presses: (number | string)[] = []
  const once = async () => void presses.push(await shop.press(options[name] as string, press))
  if (how === 'lost') await control.fault({ kind: 'reset', when: 'after_commit', on: operation })
  if (how === 'killed') await control.fault({ kind: 'latency', ms: LATENCY_MS, on: operation })
  const first = how === 'sides' ? Promise.all([once(), once()]) : once()
  if (how === 'killed') {
    await pause(KILL_MS)
    await options.restart?.()
  }
  await first
  if (how !== 'sides') await once()
  const wanted = minorOf(amount)
  let [moved, seen] = [0, undefined as ProveState | undefined]
  for (const ms of PAUSES_MS) {
    await pause(ms)
    ;[moved, seen] = [await control.moved(name), await shop.state(order_id)]
    if (moved > wanted || (moved === wanted && of(seen) === moved)) break
    if (how === 'lost' || how === 'killed') await once()
  }
  if (moved === wanted && of(seen) === moved) return undefined
  if (moved === 0 && how === 'twice' && typeof presses[0] === 'number' && presses[0] >= 400) {
    throw new ProveError(
      `The ${name} could not be pressed: it responded ${presses.join(', then ')}. It gets a form with order_id, amount, currency and key.`,
    )
  }
  const [verdict, cause]: [string, Cause] =
    moved > wanted
      ? [`${name}ed twice`.replace('eed', 'ed'), 'refunds_twice']
      : moved === 0
        ? [`${name} never ends`, 'never_ends']
        : [`${name} lost`, 'loses_refunds']
  const steps: StoryStep[] = [
    { says: `the customer ${name === 'capture' ? 'authorizes' : 'pays'} ${order.amount} ${currency}`, answers: [] },
    { says: `the ${name} of ${amount} ${currency} ${PRESSES[how]}`, answers: presses },
    { says: `the service has a ${name} of ${decimals(moved)} ${currency} in all`, answers: [] },
  ]
  const expected = name === 'refund' ? { paid: order.amount, refunded: amount } : { paid: amount, refunded: 0 }
  const advice = adviceOf(cause, options.usesEdgetill)
  return { verdict, cause, advice, orders: 1, order_id, expected, seen: seen ?? null, story: steps }
}

/** What is done at the emulator. */
async function openControl(options: Resolved, order_id: string) {
  const emulator = String(options.emulator).replace(/\/$/, '')
  const call = async (path: string, body?: object): Promise<unknown> => {
    const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await options.fetch(`${emulator}/_emulator/api/${path}`, init ?? {}).catch((cause: unknown) => {
      throw new ProveError(`No emulator responds at ${emulator}.`, { cause })
    })
    if (!response.ok) throw new ProveError(`The emulator at ${emulator} responded ${response.status} to ${path}.`)
    return response.json()
  }
  const credentials = (await call('credentials')) as Parameters<typeof createClient>[0]
  return {
    fault: (next: object) => call('faults', { next: { ...next, order_id } }),
    /** A payment of the order, made and paid; its webhooks go to the receiver. */
    async sell({ amount, currency }: ProvePress | { amount: number; currency: string }, method: 'auth' | 'purchase') {
      const client = createClient({ ...credentials, fetch: options.fetch, onWarning() {} })
      const checkout = await client.createPayment({
        mode: 'hosted',
        method: method as 'purchase',
        order_id,
        amount,
        currency,
        description: 'An order of edgetill prove',
        order_3ds_bypass: 'supported',
        server_url: options.url,
      })
      await pay(checkout.url, { fetch: options.fetch })
      await call(`deliveries?order_id=${encodeURIComponent(order_id)}&status=delivered&wait=5s`)
    },
    /** What was paid back, or captured, at the service, in minor units. */
    async moved(method: string): Promise<number> {
      const { operations } = (await call(`orders?order_id=${encodeURIComponent(order_id)}`)) as {
        operations: { method: string; status: string; amount: number }[]
      }
      return operations
        .filter((one) => one.method === method && one.status !== 'failure')
        .reduce((sum, one) => sum + minorOf(one.amount), 0)
    },
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 20 && !(await isTrue()); i++) await pause(50)
}
