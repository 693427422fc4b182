// Every interleaving of callers, gate, network, service, clock and deaths over the function that the gate runs: src/shop/protocol.ts.
// `npm run model` explores each scenario whole, and then each slip of slips.ts until a rule is violated.

import { createHash } from 'node:crypto'
import type { OrderOperation } from '../../src/index.ts'
import type {
  Command,
  Message,
  MoneyOperation,
  MoneyRequest,
  OrderState,
  RecordedResponse,
  step,
} from '../../src/shop/protocol.ts'

export type Step = typeof step

/** What may happen in a world. Everything has a bound, so that the world can be explored whole. */
export interface Scenario {
  name: string
  /** The amounts that two people ask for, each with a key of their own; null: all that is left. */
  amounts: readonly (number | null)[]
  kind: MoneyRequest['kind']
  /** How often each of them asks. */
  tries: readonly number[]
  deaths: number
  /** Whether the gate may lose its storage. */
  canBeLost?: boolean
  /** What somebody may capture in the merchant portal, in minor units. */
  byOthers?: number
  /** What they captured before, of which the gate has an event. */
  madeBefore?: number
  /** How long a call may be on its way to the service, in ticks. An assumption of the protocol. */
  arrivesWithin: number
}

/** What an answer lets its caller believe. */
type Told = 'made' | 'not made'

/** A call that left the gate. */
interface Call {
  attempt: string
  key: string
  amount: number
  sent: number
}

/** One run of the gate: a message, and the commands that follow from it. One at a time. */
interface Run {
  caller: number | undefined
  messages: Message[]
  commands: Command[]
  message?: Message
  state?: OrderState
  /** The call whose response is awaited. */
  awaits?: string
  answer?: RecordedResponse
}

interface World {
  now: number
  disk: readonly MoneyOperation[]
  loss?: { at: number; isAsked: boolean }
  /** The service's operations that the gate has events of. */
  known: readonly string[]
  made: readonly { id: string; key: string; attempt: string; amount: number }[]
  calls: readonly Call[]
  run?: Run
  /** `told`: an earlier answer, before the caller asked again. */
  callers: readonly { tries: number; final?: Told; told?: Told }[]
  deaths: number
  canBeLost: boolean
  serial: number
}

/** A tick: the protocol's limits are 30, 60 and 120 seconds. */
const TICK_MS = 31_000
const TICKS = 5
const TOTAL = 10_000

export interface Explored {
  states: number
  steps: number
  /** The rule that was violated, and the shortest way there. */
  violation?: { rule: string; trace: string[] }
}

/** Visits every state of a scenario, the nearest first. */
export function explore(scenario: Scenario, protocol: Step): Explored {
  const before = scenario.madeBefore
  const first: World = {
    ...{ now: 0, disk: [], known: [], made: [], calls: [], serial: 0 },
    callers: scenario.tries.map((tries) => ({ tries })),
    ...(before && { made: [{ id: 'op-0', key: OTHERS, attempt: OTHERS, amount: before }], known: ['op-0'] }),
    deaths: scenario.deaths,
    canBeLost: scenario.canBeLost ?? false,
  }
  // A state is known by its hash; where it came from, by its number.
  const seen = new Map<string, number>([[keyOf(first), 0]])
  const from = [-1]
  const labels = ['']
  let layer: [number, World][] = [[0, first]]
  let steps = 0
  while (layer.length > 0) {
    const next: [number, World][] = []
    for (const [number, world] of layer) {
      for (const [does, reached] of successors(world, scenario)) {
        steps++
        const [after, then] = decided(reached, protocol)
        const key = keyOf(after)
        if (seen.has(key)) continue
        const found = from.push(number) - 1
        labels.push([does, ...then].join(', '))
        seen.set(key, found)
        const rule = violated(after)
        if (rule === undefined) next.push([found, after])
        else return { states: seen.size, steps, violation: { rule, trace: traceTo(found) } }
      }
    }
    layer = next
  }
  return { states: seen.size, steps }

  function traceTo(number: number): string[] {
    const trace: string[] = []
    for (let at = number; at > 0; at = from[at] as number) trace.unshift(labels[at] as string)
    return trace
  }
}

const keyOf = (world: World): string => createHash('md5').update(JSON.stringify(world)).digest('base64')

/** The rules of money, looked at in every state. */
function violated({ made, callers, loss }: World): string | undefined {
  for (const [index, { final, told = final }] of callers.entries()) {
    const count = made.filter(({ key }) => key === keyName(index)).length
    if (count > 1) return 'one key moved money twice'
    if (final === 'made' && count === 0) return 'an answer said that money was moved, and it was not'
    if (final !== undefined && final !== told && !loss) return 'one key got two answers'
    if (final === 'not made' && count > 0) return 'an answer said that no money was moved, and it was'
  }
  return undefined
}

const OTHERS = 'somebody in the portal'
const keyName = (index: number): string => `key ${'AB'[index]}`

/** All that may happen next. */
function* successors(world: World, scenario: Scenario): Generator<[string, World]> {
  const { run, now, deaths, canBeLost } = world
  if (run) yield* inRun(world, run)
  else yield* idle(world, scenario)
  for (const call of world.calls) {
    const calls = world.calls.filter((one) => one !== call)
    if (now - call.sent < scenario.arrivesWithin) {
      const { attempt, key, amount } = call
      const made = [...world.made, { id: `op-${world.made.length + 1}`, key, attempt, amount }]
      yield [`the service executes the call of ${call.key}`, { ...world, calls, made }]
    }
    yield [`the call of ${call.key} never arrives`, { ...world, calls }]
  }
  if (scenario.byOthers && !world.made.some(({ key }) => key === OTHERS)) {
    const one = { id: `op-${world.made.length + 1}`, key: OTHERS, attempt: OTHERS, amount: scenario.byOthers }
    yield [`${OTHERS} makes one too`, { ...world, made: [...world.made, one] }]
  }
  for (const { id, key } of world.made) {
    if (!world.known.includes(id)) yield [`the webhook of ${key} arrives`, { ...world, known: [...world.known, id] }]
  }
  if (now < TICKS) yield ['31 seconds go by', { ...world, now: now + 1 }]
  if (run && deaths > 0) yield ['the worker dies', { ...without(world), deaths: deaths - 1 }]
  if (canBeLost && world.disk.length > 0) {
    const loss = { at: now * TICK_MS, isAsked: false }
    yield ['the gate loses its storage', { ...without(world), disk: [], loss, canBeLost: false }]
  }
}

function without({ run: _, ...world }: World): World {
  return world
}

/** Between two runs: a caller asks, for the first time or again, or the alarm looks at what is open. */
function* idle(world: World, { amounts, kind }: Scenario): Generator<[string, World]> {
  for (const [index, caller] of world.callers.entries()) {
    if (caller.tries === 0) continue
    const amount = amounts[index] as number | null
    const request: MoneyRequest = {
      ...{ id: `r${world.serial}`, kind, keyHash: keyName(index), fingerprint: `${amount}`, amount },
      ...{ hasCurrency: true, hasServerUrl: true },
    }
    const told = caller.final ?? caller.told
    const callers = world.callers.with(index, { tries: caller.tries - 1, ...(told && { told }) })
    const run: Run = { caller: index, messages: [{ type: 'request', request }], commands: [] }
    yield [`${keyName(index)} asks for a ${kind}`, { ...world, callers, run, serial: world.serial + 1 }]
  }
  for (const { id, keyHash, outcome } of world.disk) {
    if (outcome !== undefined && outcome !== 'unknown') continue
    const run: Run = { caller: undefined, messages: [{ type: 'check', id, mayAsk: true }], commands: [] }
    yield [`the alarm looks at the operation of ${keyHash}`, { ...world, run }]
  }
}

/** No time goes by, and nothing is lost, between what needs neither storage nor network: deciding, and beginning a call. */
function decided(world: World, protocol: Step): [World, string[]] {
  const labels: string[] = []
  let { run } = world
  while (run && run.awaits === undefined) {
    const [command, ...commands] = run.commands
    const [message, ...messages] = run.messages
    if (command?.type === 'then')
      run = { ...run, commands, messages: [...messages, ...(message ? [message] : []), command.message] }
    else if (command?.type === 'answer') run = { ...run, commands, answer: command.response }
    else if (command?.type === 'send') {
      const { id, keyHash, expected } = command.operation
      const call = { attempt: id, key: keyHash, amount: expected, sent: world.now }
      world = { ...world, calls: [...world.calls, call] }
      run = { ...run, commands, awaits: id }
      labels.push('sends the call')
    } else if (!command && message) {
      const state: OrderState = run.state && !AFTER_ASKING.includes(message.type) ? run.state : read(world, run)
      const next = protocol(state, message, world.now * TICK_MS)
      run = { ...run, messages, message, state: next.state, commands: next.commands }
    } else break
  }
  return [run ? { ...world, run } : world, labels]
}

/** After these the gate reads its state again. */
const AFTER_ASKING = ['request', 'looked_up', 'by_hand']

/** The next thing that a run waits for. */
function* inRun(world: World, run: Run): Generator<[string, World]> {
  if (run.awaits !== undefined) return yield* awaited(world, run, run.awaits)
  const [command, ...commands] = run.commands
  yield* command ? carriedOut(world, { ...run, commands }, command) : ended(world, run)
}

/** The state as the gate reads it. */
function read({ disk, known, made, loss }: World, run: Run): OrderState {
  const operations = made.filter(({ id }) => known.includes(id)).map((one) => shownOf(one))
  const order = { order_id: 'A-1', isKnown: true, isAddressable: true, operations, operation_ids: [...known] }
  const totals = { authorized: TOTAL, captured: 0, refunded: 0, voided: 0, fee: 0 }
  const { loss: _, ...before } = run.state ?? ({} as OrderState)
  return { ...before, order: { ...order, totals }, operations: disk, ...(loss && { loss }) }
}

const shownOf = ({ id, amount }: World['made'][number]): OrderOperation =>
  ({
    id,
    method: 'capture',
    status: 'success',
    amount: amount / 100,
    created_at: '',
    processed_at: '',
  }) as unknown as OrderOperation

/** The response of a call that was sent: it comes, or is lost, or the service rejects it. */
function* awaited(world: World, run: Run, attempt: string): Generator<[string, World]> {
  const { awaits: _, ...rest } = run
  const say = (world: World, how: Omit<Extract<Message, { type: 'responded' }>, 'type' | 'id'>): World => {
    const message: Message = { type: 'responded', id: attempt, ...how }
    return { ...world, run: { ...rest, messages: [...rest.messages, message] } }
  }
  const made = world.made.find((one) => one.attempt === attempt)
  if (made) {
    const response = { status: 200, body: { operation_id: made.id } }
    yield ['the response arrives', say(world, { outcome: 'done', response, operation_id: made.id })]
  }
  yield ['the response is lost', say(world, { outcome: 'unknown', response: { status: 502, body: {} } })]
  const calls = world.calls.filter((call) => call.attempt !== attempt)
  if (calls.length < world.calls.length) {
    yield [
      'the service rejects it',
      say({ ...world, calls }, { outcome: 'rejected', response: { status: 422, body: {} } }),
    ]
    yield ['it cannot be sent', say({ ...world, calls }, { outcome: 'not_sent', response: { status: 503, body: {} } })]
  }
}

function* carriedOut(world: World, run: Run, command: Command): Generator<[string, World]> {
  const say = (message: Message): Run => ({ ...run, messages: [...run.messages, message] })
  switch (command.type) {
    case 'store': {
      const { operation } = command
      const disk = [...world.disk.filter(({ id }) => id !== operation.id), operation]
      yield [`stores the operation: ${operation.outcome ?? 'begun'}`, { ...world, disk, run }]
      // The caller gets the answer although it could not be written.
      if (run.message?.type === 'responded') yield ['cannot store it', { ...world, run }]
      return
    }
    case 'file': {
      const { operation_id } = command.response.body as { operation_id: string }
      return yield ['files the response', { ...world, known: [...new Set([...world.known, operation_id])], run }]
    }
    case 'look_up':
      yield ['asks the service', { ...world, run: say(lookUp(world, command)) }]
      return yield [
        'cannot ask the service',
        { ...world, run: say({ type: 'looked_up', id: command.operation.id, outcome: 'unknown' }) },
      ]
    case 'list_all': {
      const loss = { ...(world.loss ?? { at: 0 }), isAsked: true }
      const listed = { ...world, known: world.made.map(({ id }) => id), loss }
      yield ['has the service list everything', { ...listed, run: say({ type: 'request', request: command.request }) }]
      return yield ['cannot list what the service has', without(world)]
    }
    case 'list':
      return yield ['lists', { ...world, known: world.made.map(({ id }) => id), run: say(command.message) }]
    default:
      return yield [`${command.type}es`, { ...world, run }]
  }
}

/** What `resolveOutcome` finds out: the operation that is new and of this amount; its absence counts after a while. */
function lookUp(world: World, { operation, known, settleAfterMs }: Extract<Command, { type: 'look_up' }>): Message {
  const { id, expected, started_at } = operation
  const found = world.made.filter((one) => !known.includes(one.id) && one.amount === expected)
  const [one] = found
  if (one && found.length === 1) return { type: 'looked_up', id, outcome: 'executed', shown: shownOf(one) }
  const isOver = world.now * TICK_MS - started_at > settleAfterMs
  return { type: 'looked_up', id, outcome: found.length === 0 && isOver ? 'not_executed' : 'unknown' }
}

/** The caller gets the answer, or it is lost on the way. */
function* ended(world: World, run: Run): Generator<[string, World]> {
  const after = without(world)
  const { caller, answer } = run
  const final = answer && finalOf(answer)
  const asker = caller === undefined ? undefined : world.callers[caller]
  if (caller === undefined || !asker || final === undefined) return yield ['ends', after]
  yield [`answers ${keyName(caller)}: ${final}`, { ...after, callers: world.callers.with(caller, { ...asker, final }) }]
  yield ['its answer is lost', after]
}

/** What an answer lets its caller believe; undefined: to ask again. */
function finalOf({ status, body }: RecordedResponse): Told | undefined {
  if (status === 200) return 'made'
  return status === 422 || String((body as { code?: string }).code).endsWith('_not_executed') ? 'not made' : undefined
}
