import { pay } from '../../emulator/pay.ts'
import { control } from '../deliveries.ts'
import { adviceOf } from './causes.ts'
import { minorOf } from './judge.ts'
import { ProveError, type ProveState, type Resolved } from './options.ts'
import type { ProveFinding } from './report.ts'
import { type Credentials, sell } from './service.ts'
import { pause, type Shop } from './shop.ts'
import { decimals } from './story.ts'

/** How a button is pressed, in words. */
const PRESSES = {
  twice: 'is pressed, and pressed again',
  sides: 'is pressed from two sides at once',
  lost: 'is pressed; the service does it, and its response is lost; it is pressed again',
  killed: 'is pressed; the service does it, and the shop is killed before it hears of it; it is pressed again',
} as const
const FAULTS = { lost: { kind: 'reset', when: 'after_commit' }, killed: { kind: 'slow_body', ms: 100 } } as const
const PAUSES_MS = [50, 200, 400, 800, 1_500]
const [ASKED, PART] = [10_050, 3_020]

const CAUSES = {
  refund: { twice: 'refunds_twice', lost: 'loses_refunds', 'never ends': 'never_ends' },
  capture: { twice: 'captures_twice', lost: 'loses_captures', 'never ends': 'capture_never_ends' },
} as const
type Button = keyof typeof CAUSES
type Press = keyof typeof PRESSES
type Found = ProveFinding | undefined

/** Presses the shop's own buttons, against an emulator that is served, and compares what moved with what was meant. */
export async function proveButtons(options: Resolved, shop: Shop, run: number): Promise<ProveFinding[]> {
  const findings: ProveFinding[] = []
  for (const name of Object.keys(CAUSES) as Button[]) {
    if (options[name] === undefined) continue
    for (const [n, how] of (Object.keys(PRESSES) as Press[]).entries()) {
      if (how === 'killed' && options.restart === undefined) continue
      const finding = await pressed(options, shop, name, how, `prove-${run.toString(36)}-${name[0]}${n}`)
      if (finding === undefined) continue
      findings.push(finding)
      // A webhook that never comes is waited for once.
      if (finding.cause !== CAUSES[name].twice) break
    }
  }
  return findings
}

async function pressed(options: Resolved, shop: Shop, name: Button, how: Press, id: string): Promise<Found> {
  const order = await shop.create({ order_id: id, amount: decimals(ASKED), currency: 'UAH' })
  const { order_id, currency } = order
  const wanted = Math.max(1, Math.round((minorOf(order.amount) * PART) / ASKED))
  const amount = decimals(wanted)
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
  const made = async (): Promise<number> => {
    const { operations } = (await call(`orders?${of}`)) as { operations: Record<string, unknown>[] }
    const own = operations.filter(({ method, status }) => method === name && status !== 'failure')
    return own.reduce((sum, one) => sum + minorOf(one.amount), 0)
  }
  for (let i = 0; i < 20 && (await shop.state(order_id)) === undefined; i++) await pause(50)
  const press = { order_id, amount, currency, key: crypto.randomUUID() }
  const presses: (number | string)[] = []
  const once = async () => void presses.push(await shop.press(options[name] as string, press))
  if (how in FAULTS) await call('faults', { next: { ...FAULTS[how as 'lost'], on: `${name}-payment`, order_id } })
  const first = how === 'sides' ? Promise.all([once(), once()]) : once()
  if (how === 'killed') {
    for (let i = 0; i < 60 && (await made()) === 0; i++) await pause(50)
    await shop.restart()
  }
  await first
  if (how !== 'sides') await once()
  let [moved, seen] = [0, undefined as ProveState | undefined]
  for (const ms of PAUSES_MS) {
    await pause(ms)
    ;[moved, seen] = [await made(), await shop.state(order_id)]
    if (moved === wanted && minorOf(name === 'refund' ? seen?.refunded : seen?.paid) === moved) return undefined
    if (moved > wanted) break
    // The service sends its webhooks again.
    if (how in FAULTS) await call('clock', { minutes: 1 }).then(once)
  }
  if (moved === 0 && how === 'twice' && Number(presses[0]) >= 400) {
    const gets = 'It gets a form with order_id, amount, currency and key.'
    throw new ProveError(`The ${name} could not be pressed: it responded ${presses.join(', then ')}. ${gets}`)
  }
  const wrong = moved > wanted ? 'twice' : moved === 0 ? 'never ends' : 'lost'
  const cause = CAUSES[name][wrong]
  const story = [
    { says: `the customer ${name === 'capture' ? 'authorizes' : 'pays'} ${order.amount} ${currency}`, answers: [] },
    { says: `the ${name} of ${amount} ${currency} ${PRESSES[how]}`, answers: presses },
    { says: `the service has a ${name} of ${decimals(moved)} ${currency} in all`, answers: [] },
  ]
  const verdict = `${wrong === 'twice' ? name.replace(/e?$/, 'ed') : name} ${wrong}`
  const expected = name === 'refund' ? { paid: order.amount, refunded: amount } : { paid: amount, refunded: 0 }
  const advice = adviceOf(cause, options.usesEdgetill)
  return { verdict, cause, advice, orders: 1, order_id, expected, seen: seen ?? null, story }
}
