// Every interleaving of visits, cards, webhooks, lost responses, the alarm, the shop's cancellation and a death over the rules of one
// order's checkouts: src/till/protocol-checkout.ts. A declined payment may be paid late, by a second card on its first page.

import type { CheckoutCommand, CheckoutMessage, CheckoutState, stepCheckout } from '../../src/till/protocol-checkout.ts'

type Status = 'init' | 'failure' | 'success'

/** The link of a visit: one that the shop has revoked, one that expires soon, or a good one. */
type Kind = 'good' | 'revoked' | 'short'

interface Run {
  kind?: Kind
  /** Whether the short link had expired when it was opened. */
  late?: true | undefined
  message?: CheckoutMessage | undefined
  commands: CheckoutCommand[]
  /** As it was read last. */
  state?: CheckoutState
}

interface World {
  visits: number
  /** How often the process may die. */
  deaths: number
  /** Whether the shop cancels: it has not yet, the payment is cancelled, the links are closed, and the answer said so. */
  shop?: 'cancels' | 'cancelled' | 'closed' | 'told'
  /** Cards that customers may still use. */
  cards: number
  /** At the service: of each attempt, the first one first. */
  payments: (Status | undefined)[]
  cancelled: boolean[]
  /** The state by the till's events. */
  known: (Status | undefined)[]
  announced: number
  record?: { attempts: number; url?: string; expires_at: number; expired?: true }
  /** The attempts that the alarm looks at: it cancels one where another is paid. */
  watched: number[]
  run?: Run
  /** Whether the short link has expired. */
  late?: true
  /** The state in which a good link last led to a result, though nobody has paid. */
  unpaid?: string
  wrong?: string
}

const KINDS: readonly Kind[] = ['good', 'revoked', 'short']
const TERMS = { amount: 1, currency: 'UAH', method: 'purchase' }
const NOTHING = { payments: [], cancelled: [], known: [], announced: 1, watched: [] }
const FIRST: readonly World[] = [
  { ...NOTHING, visits: 3, cards: 2, deaths: 0 },
  { ...NOTHING, visits: 4, cards: 1, deaths: 1, shop: 'cancels' },
]

const set = <T>(list: readonly T[], attempt: number, value: T): T[] =>
  Array.from({ length: Math.max(list.length, attempt) }, (_, i) => (i === attempt - 1 ? value : (list[i] as T)))
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)

function read({ known, cancelled, announced, record, shop }: World, kind?: Kind): CheckoutState {
  const attempts = numbers(announced).map((n) => {
    const status = known[n - 1]
    return { status, cancelled: cancelled[n - 1] && status === 'failure', holdsMoney: status === 'success' }
  })
  const checkout = record && { ...TERMS, opened_at: 0, ...record }
  return { isRevoked: kind === 'revoked', isClosed: shop === 'closed' || shop === 'told', attempts, checkout }
}

/** The facts of an event are known; a paid one has the others looked at. */
function learn(world: World, attempt: number): World {
  const status = world.payments[attempt - 1]
  if (status === undefined || status === 'init') return world
  const known = set(world.known, attempt, status)
  const isNews = status === 'success' && world.known[attempt - 1] !== 'success'
  const open = numbers(world.announced).filter((n) => isNews && n !== attempt && known[n - 1] === undefined)
  return { ...world, known, watched: [...new Set([...world.watched, ...open])] }
}

function* successors(world: World, protocol: typeof stepCheckout): Generator<[string, World]> {
  const { payments, known, visits, cards, run, watched, cancelled, late } = world
  for (const n of numbers(payments.length)) {
    const [status, pays] = [
      payments[n - 1],
      (to: Status): World => ({ ...world, cards: cards - 1, payments: set(payments, n, to) }),
    ]
    if (cards > 0 && status === 'init') yield [`a card for ${n} is declined`, pays('failure')]
    if (cards > 0 && (status === 'init' || (status === 'failure' && !cancelled[n - 1])))
      yield [`${n} is paid`, pays('success')]
    if (status !== 'init' && known[n - 1] !== status) yield [`the webhook of ${n} arrives`, learn(world, n)]
  }
  const { run: _, ...idle } = world
  if (run && world.deaths > 0) yield ['the process dies', { ...idle, deaths: world.deaths - 1 }]
  if (run) return yield* inRun(world, run, protocol)
  if (world.shop && !world.late) yield ['the short link expires', { ...world, late: true }]
  if (world.shop === 'cancels')
    yield ['the shop cancels', { ...world, run: { message: { type: 'cancel' }, commands: [] } }]
  for (const kind of visits > 0 ? KINDS : [])
    yield [
      `a ${kind} link`,
      { ...world, visits: visits - 1, run: { kind, late, message: { type: 'open' }, commands: [] } },
    ]
  for (const n of known.includes('success') ? watched : [])
    yield [`the alarm cancels ${n}`, cancel({ ...world, watched: watched.filter((one) => one !== n) }, n)[0]]
}

function cancel(world: World, n: number): [World, rejectedWith?: number] {
  const status = world.payments[n - 1]
  if (status !== 'init') return [learn(world, n), status === undefined ? 404 : 409]
  return [{ ...world, payments: set(world.payments, n, 'failure'), cancelled: set(world.cancelled, n, true) }]
}

const announce = (world: World, command?: CheckoutCommand): World =>
  command && 'attempt' in command ? { ...world, announced: Math.max(world.announced, command.attempt) } : world

function* inRun(world: World, run: Run, protocol: typeof stepCheckout): Generator<[string, World]> {
  const { message, commands, state: before } = run
  const [command, ...rest] = commands
  const say = (next: World, message: CheckoutMessage): World => ({ ...next, run: { ...run, commands: rest, message } })
  if (!command && message) {
    const fresh = read(world, run.kind)
    const isNew = message.type === 'cancelled' || fresh.attempts.some(({ holdsMoney }) => holdsMoney)
    const state = before && !isNew ? before : fresh
    const expires_at = run.kind === 'short' ? 1 : 2
    const decided = protocol(state, message, world.late ? 1 : 0, { ...TERMS, expires_at })
    // An attempt is announced in the step that decides on it; where no process dies, two steps would do.
    const announced = world.shop && decided.find(({ type }) => type === 'announce')
    const commands = decided.filter((one) => one !== announced)
    return yield ['decides', { ...announce(world, announced), run: { ...run, message: undefined, state, commands } }]
  }
  const goOn: World = { ...world, run: { ...run, commands: rest } }
  const n = command && 'attempt' in command ? command.attempt : 1
  const { payments } = world
  const status = payments[n - 1]
  switch (command?.type) {
    case 'look_up':
      return yield ['asks', say(learn(world, n), { ...command, type: 'looked_up', status })]
    case 'create': {
      const fails = (how: 'used' | 'unknown') => ({ ...command, type: 'not_created', how }) as const
      if (status !== undefined) return yield ['is used', say(world, fails('used'))]
      const made = { ...world, payments: set(payments, n, 'init' as const) }
      yield ['creates', say(made, { ...command, type: 'created', url: `form ${n}` })]
      return yield ['creates, and the response is lost', say(made, fails('unknown'))]
    }
    case 'cancel': {
      const [after, rejectedWith] = cancel(world, n)
      const isByShop = command.why === 'by_shop' && rejectedWith === undefined
      const its = { ...after, ...(isByShop && { shop: 'cancelled' as const }) }
      return yield ['cancels', say(its, { ...command, type: 'cancelled', rejectedWith })]
    }
    case 'announce':
      return yield ['announces', announce(goOn, command)]
    case 'remember': {
      const { url, expires_at = run.kind === 'short' ? 1 : 2 } = command
      const record = { attempts: n, expires_at, ...(url !== undefined && { url }) }
      return yield ['remembers', { ...goOn, record, watched: [...new Set([...world.watched, n])] }]
    }
    case 'expire':
      return yield ['expires', { ...goOn, record: { attempts: n, expires_at: 1, ...world.record, expired: true } }]
    case 'close':
      return yield ['closes the links', { ...goOn, shop: 'closed' }]
    case 'answer': {
      const { run: _, ...after } = world
      if (/^(cancelled|link_closed)$/.test(command.answer.kind)) return yield ['says so', { ...after, shop: 'told' }]
      const isLedOn = command.answer.kind === 'redirect' && run.state?.attempts.some(({ holdsMoney }) => holdsMoney)
      const { kind: to } = command.answer
      const isOver = payments.includes('success') || /^(cancelled|closed|told)$/.test(world.shop ?? '')
      const isStuck = !isOver && run.kind === 'good' && to === 'result'
      const unpaid = isStuck ? JSON.stringify(read(world, run.kind)) : undefined
      const wrong =
        (isLedOn && 'a link led to a payment of an order that holds money') ||
        (to === 'redirect' && run.kind === 'revoked' && 'a link that was revoked led to a payment') ||
        (to === 'redirect' && run.kind === 'short' && run.late && 'a link that has expired led to a payment') ||
        (/^(closed|expired|revoked)$/.test(to) && run.kind === 'good' && !isOver && `a good link led to ${to}`) ||
        (unpaid && unpaid === world.unpaid && 'nobody has paid, and a good link leads to a result again')
      return yield ['answers', { ...after, ...(unpaid && { unpaid }), ...(wrong && { wrong }) }]
    }
  }
}

function violated({ wrong, payments, known, watched, run, shop }: World): string | undefined {
  if (wrong || run) return wrong
  if (shop === 'told' && payments.includes('init')) return 'an order that was cancelled can be paid'
  const isKnown = payments.every((status, i) => status === undefined || status === 'init' || known[i] === status)
  const isOpen = payments.some((status, i) => status === 'init' && !watched.includes(i + 1))
  return isKnown && known.includes('success') && isOpen ? 'a second payment of a paid order stays open' : undefined
}

/** Visits every state. */
export function explorePayments(protocol: typeof stepCheckout): {
  states: number
  violation?: string
  trace: string[]
} {
  const seen = new Set<string>()
  let layer: [World, string[]][] = FIRST.map((world) => [world, []])
  while (layer.length > 0) {
    const next: [World, string[]][] = []
    for (const [world, trace] of layer) {
      for (const [does, after] of successors(world, protocol)) {
        const key = JSON.stringify(after)
        if (seen.has(key)) continue
        seen.add(key)
        const way = [...trace, does]
        const violation = violated(after)
        if (violation) return { states: seen.size, violation, trace: way }
        next.push([after, way])
      }
    }
    layer = next
  }
  return { states: seen.size, trace: [] }
}
