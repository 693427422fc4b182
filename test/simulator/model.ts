// Every interleaving of callers, till, network, service, clock and deaths over the function that the till runs: src/till/protocol.ts.
// explore.ts visits every state of such a world.

import type { OrderOperation } from '../../src/orders/index.ts'
import type * as rules from '../../src/till/protocol.ts'
import {
  type Command,
  isOpen,
  type Message,
  type MoneyAnswer,
  type MoneyOperation,
  type MoneyRequest,
  type OrderFacts,
  type OrderState,
} from '../../src/till/protocol.ts'

/** The rules, or these without one of them. */
export type Protocol = Pick<typeof rules, 'step' | 'chooseAttempt' | 'committed' | 'versionOf'>

/** The events of a world. Everything has a bound, so that the world can be explored whole. */
export interface Scenario {
  name: string
  /** The amounts that two people ask for, each with a key of their own; null: all that is left. */
  amounts: readonly (number | null)[]
  kind: MoneyRequest['kind']
  /** How often each of them asks. */
  tries: readonly number[]
  deaths: number
  /** Whether the store may be lost. */
  canBeLost?: boolean
  /** The amount that may be captured in the merchant portal, in minor units. */
  byOthers?: number
  /** Their earlier captures, of which the till has an event. */
  madeBefore?: number
  /** Whether a person may say what became of an operation, who has seen it at the service. */
  byHand?: boolean
  /** Whether a call may arrive later than the protocol assumes: a key that was told "not executed" may turn out to be executed. */
  isLate?: boolean
  /** Whether the service may decline what is pending. */
  mayDecline?: boolean
  /** How long a call may be on its way to the service, in ticks. An assumption of the protocol. */
  arrivesWithin: number
  /** How long the world lasts, in ticks. */
  ticks?: number
  /** The attempts at paying the order that hold money, `A-1` unless given. */
  attempts?: readonly string[]
  /** The attempt that each of them names; undefined: the order. */
  names?: readonly (string | undefined)[]
  /** Both have the same key. */
  oneKey?: boolean
  /** Whether the service says first that an operation is pending. */
  pending?: boolean
  /** Whether the webhook of the payment comes late. */
  paidLate?: boolean
  promises?: Promises
}

/** Further promises to the people. */
interface Promises {
  /** Each of them was shown the first attempt as it was before, and confirmed that. */
  sawSame?: boolean
  /** The amount that they may refund of the order, in minor units. */
  limit?: number
}

/** The belief of a caller after an answer. */
export type Told = 'made' | 'not made' | 'declined'

/** A call that left the till. */
interface Call {
  attempt: string
  of?: string | undefined
  key: string
  amount: number
  /** All that is left, as the service counts. */
  whole?: true
  sent: number
}

/** An operation, with the attempt at paying that it is of. */
type Stored = MoneyOperation & { of?: string }

/** One run of the till: a message, and the commands that follow from it. One at a time. */
interface Run {
  caller: number | undefined
  /** The attempt at paying that was chosen. */
  of?: string | undefined
  messages: Message[]
  commands: Command[]
  message?: Message
  state?: OrderState
  /** The call whose response is awaited. */
  awaits?: string
  /** Since when the service is being asked: what it does not show was absent then. */
  askedAt?: number
  answer?: MoneyAnswer
  /** The service's operations that were read for the answer. */
  seen?: readonly string[]
}

export interface World {
  now: number
  kind?: MoneyRequest['kind'] | undefined
  attempts?: readonly string[]
  promises?: Promises
  /** The webhook of the payment has not come yet. */
  paidLate?: true
  disk: readonly Stored[]
  /** `at`: when the till noticed it. */
  loss?: { at: number | undefined; isAsked: boolean }
  /** The service's operations that the till has events of; with a `?`: it is pending, as far as the till knows. */
  known: readonly string[]
  made: readonly {
    id: string
    of?: string | undefined
    key: string
    attempt: string
    amount: number
    pending?: true
    declined?: true
  }[]
  calls: readonly Call[]
  run?: Run
  /** `told`: an earlier answer, before the caller asked again. `doubts`: a person was to say whether it was made before the loss. */
  callers: readonly { key?: string; tries: number; final?: Told; told?: Told; doubts?: true }[]
  isLate?: true
  /** A rule that an event broke. */
  broken?: string
  deaths: number
  canBeLost: boolean
  serial: number
}

/** A tick: the protocol's limits are 30, 60 and 120 seconds. */
const TICK_MS = 31_000
const TICKS = 5
export const TOTAL = 10_000

/** How a world begins. */
export function firstWorld(scenario: Scenario): World {
  const before = scenario.madeBefore
  return {
    ...{ now: 0, disk: [], known: [], made: [], calls: [], serial: 0 },
    ...{ kind: scenario.kind, attempts: scenario.attempts ?? [FIRST], promises: scenario.promises ?? {} },
    callers: scenario.tries.map((tries, index) => ({ key: keyName(scenario.oneKey ? 0 : index), tries })),
    ...(before && { made: [{ id: 'op-0', of: FIRST, key: OTHERS, attempt: OTHERS, amount: before }], known: ['op-0'] }),
    deaths: scenario.deaths,
    canBeLost: scenario.canBeLost ?? false,
    ...(scenario.paidLate && { paidLate: true }),
    ...(scenario.isLate && { isLate: true }),
  }
}

/** The rules of money, looked at in every state. */
export function violated(world: World): string | undefined {
  const { made: all, callers, loss, kind, attempts = [FIRST], promises = {}, isLate } = world
  if (world.broken) return world.broken
  const made = all.filter(({ declined }) => !declined)
  const sum = (some: World['made']) => some.reduce((all, { amount }) => all + amount, 0)
  if (kind === 'refund' && attempts.some((id) => sum(made.filter(({ of }) => of === id)) > TOTAL))
    return 'more was refunded than was paid'
  const ids = world.disk.flatMap(({ operation_id }) => operation_id ?? [])
  if (new Set(ids).size < ids.length) return 'two keys got one record'
  if (promises.sawSame && made.length > 1) return 'two who had seen the same order both moved its money'
  if (promises.limit !== undefined && sum(made) > promises.limit) return 'more was refunded than its caller may'
  for (const [index, { key: own = keyName(index), final, told = final }] of callers.entries()) {
    const count = made.filter(({ key }) => key === own).length
    const isDeclined = all.some(({ key, declined }) => key === own && declined)
    if (count > 1) return 'one key moved money twice'
    // What arrives late may be taken for what another key asked for.
    if (final === 'made' && count === 0 && !isDeclined && !isLate)
      return 'an answer said that money was moved, and it was not'
    if (final === 'declined' && !isDeclined) return 'an answer said that it was declined, and it was not'
    if (final !== undefined && final !== told && !loss && !isLate && !(final === 'declined' && told === 'made'))
      return 'one key got two answers'
    if (final === 'not made' && count > 0 && !isLate) return 'an answer said that no money was moved, and it was'
  }
  return undefined
}

const OTHERS = 'somebody in the portal'
const FIRST = 'A-1'
export const keyName = (index: number): string => `key ${'AB'[index]}`

/** All that may happen next. */
export function* successors(world: World, scenario: Scenario): Generator<[string, World]> {
  const { run, now, deaths, canBeLost } = world
  if (run) yield* inRun(world, run)
  else yield* idle(world, scenario)
  yield* accounts(world, scenario)
  for (const call of world.calls) {
    const calls = world.calls.filter((one) => one !== call)
    // The service counts what has succeeded.
    const succeeded = world.made.filter(({ of, pending, declined }) => of === call.of && !pending && !declined)
    const left = succeeded.reduce((all, { amount }) => all - amount, TOTAL)
    const amount = call.whole ? left : call.amount
    if (now - call.sent < scenario.arrivesWithin && amount <= left) {
      const { attempt, of, key } = call
      const pending = scenario.pending && { pending: true as const }
      const made = [...world.made, { id: `op-${world.made.length + 1}`, of, key, attempt, amount, ...pending }]
      yield [`the service executes the call of ${call.key}`, { ...world, calls, made }]
    }
    yield [`the call of ${call.key} never arrives`, { ...world, calls }]
  }
  if (scenario.byOthers && !world.made.some(({ key }) => key === OTHERS)) {
    const id = `op-${world.made.length + 1}`
    const one = { id, of: FIRST, key: OTHERS, attempt: OTHERS, amount: scenario.byOthers }
    yield [`${OTHERS} makes one too`, { ...world, made: [...world.made, one] }]
  }
  if (world.paidLate) yield ['the webhook of the payment arrives', paid(world)]
  for (const one of world.made) {
    if (!world.known.includes(eventOf(one)))
      yield [`the webhook of ${one.key} arrives`, { ...noticed(world), known: knowing(world.known, one) }]
    const { pending, ...final } = one
    if (pending) {
      const made = (end: World['made'][number]) => world.made.map((other) => (other === one ? end : other))
      yield [`the service finishes what ${one.key} asked for`, { ...world, made: made(final) }]
      if (scenario.mayDecline)
        yield [`the service declines what ${one.key} asked for`, { ...world, made: made({ ...final, declined: true }) }]
    }
  }
  if (now < (scenario.ticks ?? TICKS)) yield ['31 seconds go by', { ...world, now: now + 1 }]
  if (run && deaths > 0) yield ['the worker dies', { ...without(world), deaths: deaths - 1 }]
  if (canBeLost && world.disk.length > 0) {
    const loss = { at: undefined, isAsked: false }
    yield ['the store is lost', { ...without(world), disk: [], loss, canBeLost: false }]
  }
}

/** The contents of its webhook. */
const eventOf = ({ id, pending }: World['made'][number]): string => (pending ? `${id}?` : id)
const knowing = (known: readonly string[], one: World['made'][number]): string[] => [
  ...known.filter((event) => event !== `${one.id}?`),
  ...(known.includes(eventOf(one)) ? [] : [eventOf(one)]),
]

function without({ run: _, ...world }: World): World {
  return world
}

function paid({ paidLate: _, ...world }: World): World {
  return world
}

/** Between two runs: a caller asks, for the first time or again, or the alarm looks at what is open. */
function* idle(world: World, { amounts, kind, byHand }: Scenario): Generator<[string, World]> {
  for (const [index, caller] of world.callers.entries()) {
    if (caller.tries === 0) continue
    const { key = keyName(index) } = caller
    const amount = amounts[index] as number | null
    const { limit } = world.promises ?? {}
    const request: MoneyRequest = {
      ...{ id: `r${world.serial}`, kind, keyHash: key, fingerprint: `${amount}`, amount },
      ...(limit !== undefined && { limit }),
      ...{ hasCurrency: true, hasServerUrl: true },
    }
    const told = caller.final ?? caller.told
    const { doubts } = caller
    const callers = world.callers.with(index, {
      ...{ key, tries: caller.tries - 1 },
      ...(told && { told }),
      ...(doubts && { doubts }),
    })
    const run: Run = { caller: index, messages: [{ type: 'request', request }], commands: [] }
    yield [`${key} asks for a ${kind}`, { ...world, callers, run, serial: world.serial + 1 }]
  }
  for (const { id, keyHash, of, maybeLost } of world.disk.filter(isOpen)) {
    const alone = { caller: undefined, ...(of !== undefined && { of }), commands: [] }
    if (!maybeLost) {
      const run: Run = { ...alone, messages: [{ type: 'check', id }] }
      yield [`the alarm looks at the operation of ${keyHash}`, { ...world, run }]
    }
    if (byHand && !world.calls.some(({ attempt }) => attempt === id)) {
      const executed = world.made.some(({ attempt, key }) => attempt === id || (maybeLost && key === keyHash))
      const run: Run = { ...alone, messages: [{ type: 'by_hand', id, executed, isListed: false }] }
      yield [`a person says that the operation of ${keyHash} was ${executed ? '' : 'not '}made`, { ...world, run }]
    }
  }
}

const seenAs = ({ id, status }: OrderOperation): string => `${id} ${status}`

/** A person says that an operation of before the loss is of no key that will still ask. */
function* accounts(world: World, { byHand, canBeLost }: Scenario): Generator<[string, World]> {
  if (!byHand || !canBeLost || world.run || !world.loss?.isAsked || world.disk.some(isOpen)) return
  for (const { id, key, of } of world.made) {
    const isOver = world.callers.every((caller, index) => (caller.key ?? keyName(index)) !== key || caller.tries === 0)
    const isKeyed = world.disk.some((one) => one.operation_id === id)
    if (!isOver || isKeyed || !world.known.includes(id)) continue
    const messages: Message[] = [{ type: 'by_hand', id, executed: true, isListed: false }]
    const run: Run = { caller: undefined, ...(of !== undefined && { of }), commands: [], messages }
    yield [`a person accounts for the operation of ${key}`, { ...world, run }]
  }
}

/** No time goes by, and nothing is lost, between what needs neither storage nor network: deciding, and beginning a call. */
export function decided(world: World, protocol: Protocol, scenario: Scenario): [World, string[]] {
  const labels: string[] = []
  let { run } = world
  while (run && run.awaits === undefined) {
    const [command, ...commands] = run.commands
    const [message, ...messages] = run.messages
    if (command?.type === 'then')
      run = { ...run, commands, messages: [...messages, ...(message ? [message] : []), command.message] }
    else if (command?.type === 'answer')
      run = { ...run, commands, answer: command.answer, seen: (run.state?.order.operations ?? []).map(seenAs) }
    else if (message && run.of === undefined) {
      const chosen = chosenBy(world, run, protocol, scenario)
      run = typeof chosen === 'string' ? { ...run, of: chosen } : { ...run, messages: [], answer: chosen }
    } else if (command?.type === 'send') {
      const { id, keyHash, expected, amount } = command.operation
      const call = {
        attempt: id,
        of: run.of as string,
        key: keyHash,
        amount: expected,
        sent: world.now,
        ...(amount === null && { whole: true as const }),
      }
      const isDoubted = world.callers.some(({ key, doubts }, index) => doubts && (key ?? keyName(index)) === keyHash)
      world = { ...world, calls: [...world.calls, call] }
      if (isDoubted) world = { ...world, broken: 'a key that may have been executed was sent again' }
      if (run.state?.operations.some(({ late, answer }) => late && answer?.code === 'not_executed'))
        world = { ...world, broken: 'a new key was sent beside an operation that was executed late' }
      run = { ...run, commands, awaits: id }
      labels.push('sends the call')
    } else if (!command && message) {
      const isNew = !run.state || AFTER_ASKING.includes(message.type)
      if (isNew) world = noticed(world)
      const state: OrderState = isNew ? read(world, run, protocol) : (run.state as OrderState)
      const next = protocol.step(state, seen(message, world, protocol), world.now * TICK_MS)
      const asks = next.commands.some(({ type }) => type === 'look_up')
      run = {
        ...run,
        messages,
        message,
        state: next.state,
        commands: next.commands,
        ...(asks && { askedAt: world.now }),
      }
    } else break
  }
  return [run ? { ...world, run } : world, labels]
}

/** The attempt that a request is about, or the answer that it gets. */
function chosenBy(world: World, { caller = 0, messages }: Run, protocol: Protocol, { names }: Scenario) {
  const { disk, attempts = [FIRST], kind } = world
  const [message] = messages
  const keyHash = message?.type === 'request' ? message.request.keyHash : ''
  const facts = attempts.map((id) => {
    const { totals } = orderOf(world, id)
    const own = disk.filter(({ of }) => of === id)
    return {
      order_id: id,
      holdsMoney: kind !== 'refund' || totals.captured_minor > totals.refunded_minor,
      isUnsettled: own.some(isOpen),
      hasKey: own.some((one) => one.keyHash === keyHash && one.outcome !== 'not_sent'),
    }
  })
  return protocol.chooseAttempt(facts, names?.[caller])
}

/** A request, with the version that its caller had seen. */
function seen(message: Message, { promises, kind }: World, protocol: Protocol): Message {
  if (message.type !== 'request' || !promises?.sawSame) return message
  const version = protocol.versionOf(orderOf({ known: [], made: [], kind }, FIRST), [])
  return { ...message, request: { ...message.request, version } }
}

/** After these the till reads its state again. */
const AFTER_ASKING = ['request', 'looked_up']

/** The next thing that a run waits for. */
function* inRun(world: World, run: Run): Generator<[string, World]> {
  if (run.awaits !== undefined) return yield* awaited(world, run, run.awaits)
  const [command, ...commands] = run.commands
  yield* command ? carriedOut(world, { ...run, commands }, command) : ended(world, run)
}

/** Whatever reads the store next sees that it was lost. */
const noticed = (world: World): World =>
  world.loss && world.loss.at === undefined ? { ...world, loss: { ...world.loss, at: world.now * TICK_MS } } : world

/** The state as the till reads it. */
function read(world: World, run: Run, { committed }: Protocol): OrderState {
  const { disk, loss, attempts = [FIRST] } = world
  const own = (id: string) => disk.filter(({ of }) => of === id)
  const id = run.of as string
  const others = attempts
    .filter((one) => one !== id)
    .map((one) => committed(orderOf(world, one), own(one)).refunded_minor)
  const { loss: _, ...before } = run.state ?? ({} as OrderState)
  return {
    ...before,
    order: { ...orderOf(world, id), ...(others.length > 0 && { refundedElsewhere: others.reduce((a, b) => a + b) }) },
    operations: own(id),
    ...(loss && { loss: { at: loss.at as number, isAsked: loss.isAsked } }),
  }
}

/** One attempt, by its events. */
function orderOf(
  { known, made, kind = 'capture', paidLate }: Pick<World, 'known' | 'made' | 'kind' | 'paidLate'>,
  order_id: string,
): OrderFacts {
  const shown = made.filter(({ id, of }) => of === order_id && (known.includes(id) || known.includes(`${id}?`)))
  const operations = shown.map(({ pending: _, declined, ...one }) => {
    const isPending = !known.includes(one.id)
    return shownOf({ ...one, ...(isPending ? { pending: true } : declined && { declined }) }, kind)
  })
  const done = operations.reduce(
    (sum, { status, amount }) => sum + (status === 'success' ? Math.round((amount ?? 0) * 100) : 0),
    0,
  )
  const authorized = paidLate ? 0 : TOTAL
  const [captured, refunded] = kind === 'refund' ? [authorized, done] : [done, 0]
  const totals = {
    ...{ authorized_minor: authorized, captured_minor: captured, refunded_minor: refunded },
    ...{ voided_minor: 0, fee_minor: 0 },
  }
  return { order_id, isKnown: true, isAddressable: true, operations, operation_ids: shown.map(({ id }) => id), totals }
}

/** The needed part of an operation at the service. */
interface Made {
  id: string
  amount: number
  pending?: boolean
  declined?: boolean
}

const statusOf = ({ pending, declined }: Made): string => (pending ? 'pending' : declined ? 'failure' : 'success')

export const shownOf = ({ id, amount, ...how }: Made, method: string): OrderOperation => ({
  ...{ id, method, status: statusOf({ id, amount, ...how }), status_code: null, amount: amount / 100 },
  ...{ created_at: '', processed_at: '' },
})

/** The response of a call that was sent: it comes, or is lost, or the service rejects it. */
function* awaited(world: World, run: Run, attempt: string): Generator<[string, World]> {
  const { awaits: _, ...rest } = run
  const say = (world: World, how: Omit<Extract<Message, { type: 'responded' }>, 'type' | 'id'>): World => {
    const message: Message = { type: 'responded', id: attempt, ...how }
    return { ...world, run: { ...rest, messages: [...rest.messages, message] } }
  }
  const made = world.made.find((one) => one.attempt === attempt)
  if (made) {
    const answer = { code: 'executed' as const, record: { operation_id: made.id, status: statusOf(made) } }
    yield ['the response arrives', say(world, { outcome: 'done', answer, operation_id: made.id })]
  }
  const recorded = (outcome: 'unknown' | 'rejected' | 'not_sent') =>
    ({ outcome, answer: { code: 'recorded', response: outcome } }) as const
  yield ['the response is lost', say(world, recorded('unknown'))]
  const calls = world.calls.filter((call) => call.attempt !== attempt)
  if (calls.length < world.calls.length) {
    yield ['the service rejects it', say({ ...world, calls }, recorded('rejected'))]
    yield ['it cannot be sent', say({ ...world, calls }, recorded('not_sent'))]
  }
}

function* carriedOut(world: World, run: Run, command: Command): Generator<[string, World]> {
  const { askedAt = 0, ...rest } = run
  const say = (message: Message): Run => ({ ...rest, messages: [...rest.messages, message] })
  switch (command.type) {
    case 'store': {
      const operation = { ...command.operation, of: run.of as string }
      const disk = [...world.disk.filter(({ id }) => id !== operation.id), operation]
      yield [`stores the operation: ${operation.outcome ?? 'begun'}`, { ...world, disk, run }]
      // The caller gets the answer although it could not be written.
      if (run.message?.type === 'responded') yield ['cannot store it', { ...world, run }]
      return
    }
    case 'store_response': {
      const { operation_id } = command.record as { operation_id: string }
      const one = world.made.find(({ id }) => id === operation_id) as World['made'][number]
      const isFinal = !one.pending
      const known = isFinal || !world.known.includes(operation_id) ? knowing(world.known, one) : world.known
      return yield ['stores the response', { ...world, known, run }]
    }
    case 'look_up':
      // Operations that the service shows are stored like webhooks.
      yield [
        'asks the service',
        {
          ...listed(world),
          run: say(
            lookUp(
              world.made.filter(({ of }) => of === run.of),
              command,
              askedAt * TICK_MS,
            ),
          ),
        },
      ]
      return yield [
        'cannot ask the service',
        { ...world, run: say({ type: 'looked_up', id: command.operation.id, outcome: 'unknown' }) },
      ]
    case 'list_all': {
      const loss = { ...(world.loss ?? { at: 0 }), isAsked: true }
      const run = say({ type: 'request', request: command.request })
      yield ['has the service list everything', { ...listed(world), loss, run }]
      return yield ['cannot list what the service has', without(world)]
    }
    case 'list':
      return yield ['lists', { ...listed(world), run: say(command.message) }]
  }
}

const listed = (world: World): World => ({ ...paid(world), known: world.made.map(eventOf) })

/**
 * `resolveOutcome` finds out: the operation that is new and of this amount. That there is none counts after a while, and
 * only where the service shows no other new one.
 */
export function lookUp(
  made: readonly Made[],
  { operation, known, settleAfterMs }: Extract<Command, { type: 'look_up' }>,
  askedAt: number,
): Message {
  const { id, kind, expected, started_at } = operation
  const fresh = made.filter((one) => !known.includes(one.id))
  const [one, ...others] = fresh.filter(({ amount }) => amount === expected)
  if (one && others.length === 0) return { type: 'looked_up', id, outcome: 'executed', shown: shownOf(one, kind) }
  const isOver = askedAt - started_at >= settleAfterMs
  return { type: 'looked_up', id, outcome: fresh.length === 0 && isOver ? 'not_executed' : 'unknown' }
}

/** The caller gets the answer, or it is lost on the way. */
function* ended(world: World, run: Run): Generator<[string, World]> {
  const after = without(world)
  const { caller, answer, seen = [] } = run
  const final = answer && finalOf(answer)
  const asker = caller === undefined ? undefined : world.callers[caller]
  const doubts = answer?.code === 'unexplained' && { doubts: true as const }
  if (caller === undefined || !asker || (final === undefined && !doubts)) return yield ['ends', after]
  const key = asker.key ?? keyName(caller)
  const shows = (how: object) =>
    world.made.some((one) => one.key === key && seen.includes(seenAs(shownOf({ ...one, ...how }, ''))))
  // It may be that of another key.
  const isClear = world.disk.every(
    ({ keyHash, outcome = '' }) => keyHash === key || /^(rejected|not_sent)$/.test(outcome),
  )
  const wrong =
    final === 'not made' && isClear
      ? shows({ declined: false })
      : final === 'made' && shows({ declined: true, pending: false })
  const broken = wrong && { broken: `an operation with an event was reported as ${final}` }
  yield [
    `answers ${key}: ${final ?? 'it may have been made'}`,
    { ...after, ...broken, callers: world.callers.with(caller, { ...asker, ...(final && { final }), ...doubts }) },
  ]
  yield ['its answer is lost', after]
}

/** The belief of a caller after an answer; undefined: to ask again. */
export function finalOf(answer: MoneyAnswer): Told | undefined {
  if (answer.code === 'executed')
    return (answer.record as { status?: string }).status === 'failure' ? 'declined' : 'made'
  const isRejected = answer.code === 'recorded' && answer.response === 'rejected'
  return isRejected || answer.code === 'not_executed' ? 'not made' : undefined
}
