// Every interleaving of the processes of a till over one database: statements, deaths, pauses between them, the network, the
// service and the clock. The rules are those of src/till/protocol.ts; what a process does with its commands is src/till/move-money.ts.

import {
  type Command,
  isOpen,
  type Message,
  type MoneyAnswer,
  type MoneyOperation,
  type MoneyRequest,
  type OrderState,
  SEND_MS,
} from '../../src/till/protocol.ts'
import type { Machine } from './explore.ts'
import {
  finalOf,
  keyName,
  lookUp,
  type Protocol,
  shownOf,
  TOTAL,
  violated as violatedByAnswers,
  type World,
} from './model.ts'

export interface TillModelScenario {
  name: string
  /** The amounts that people ask for, each under a key of its own, and how often each asks. */
  amounts: readonly number[]
  tries: readonly number[]
  processes: number
  deaths: number
}

export const TILL_SCENARIOS: readonly TillModelScenario[] = [
  { name: 'a till: one key; its process dies', amounts: [10], tries: [2], processes: 1, deaths: 1 },
  { name: 'a till: one key at two processes', amounts: [10], tries: [2], processes: 2, deaths: 0 },
  { name: 'a till: one key at two processes; one dies', amounts: [10], tries: [2], processes: 2, deaths: 1 },
  { name: 'a till: two keys at two processes', amounts: [10, 10], tries: [1, 1], processes: 2, deaths: 0 },
]

/** A step of a process: a message, and the commands that follow from the state that it has read. */
interface Run {
  caller: number | undefined
  messages: readonly Message[]
  commands: readonly Command[]
  /** Its decisions, and the entries that waited then. */
  message?: Message
  waited?: MoneyRequest | undefined
  waiting?: MoneyRequest | undefined
  /** How many rows it has read: it may write the next one. */
  read: number
  readAt: number
  /** It has read, and decides. */
  decides?: boolean
  awaits?: string
  answer?: MoneyAnswer
}

export interface TillWorld
  extends Pick<World, 'now' | 'disk' | 'known' | 'made' | 'calls' | 'callers' | 'deaths' | 'serial'> {
  /** How many rows the order has. */
  rows: number
  runs: readonly (Run | null)[]
  /** Operations with a late end that contradicts the first one. */
  late: readonly string[]
}

/** A tick: two of them are longer than the ten minutes after which an absence counts. */
const TICK_MS = 310_000
const TICKS = 2
/** An open entry is due after a minute. */
const DUE_MS = 60_000
const ABSENT_MS = 600_000

const firstWorld = ({ tries, processes, deaths }: TillModelScenario): TillWorld => ({
  ...{ now: 0, disk: [], known: [], made: [], calls: [], serial: 0, rows: 0, late: [], deaths },
  callers: tries.map((tries) => ({ tries })),
  runs: Array.from({ length: processes }, () => null),
})

/** An open operation is settled by whoever asks, once a call cannot arrive any more. */
function violated(world: TillWorld): string | undefined {
  const rule = violatedByAnswers({ ...world, canBeLost: false })
  if (rule !== undefined) return rule
  // A contradiction is for a person, and the assumption of ten minutes leaves none.
  return world.late.length > 0 ? 'an operation ended twice' : undefined
}

function* successors(world: TillWorld, scenario: TillModelScenario): Generator<[string, TillWorld]> {
  const { now, runs, deaths } = world
  for (const [index, run] of runs.entries()) {
    const at = (name: string) => `${name} (process ${index + 1})`
    // Processes are alike: which of them does it makes no difference.
    const put = (next: Run | null): TillWorld['runs'] => runs.with(index, next).sort(byText)
    if (!run) {
      // Processes are alike: the first free one is enough.
      if (runs.indexOf(null) === index)
        for (const [does, begun] of begins(world, scenario)) yield [at(does), { ...begun, runs: put(begun.run) }]
      continue
    }
    for (const [does, after, next] of goesOn(world, run)) yield [at(does), { ...after, runs: put(next) }]
    if (deaths > 0) yield [at('dies'), { ...world, runs: put(null), deaths: deaths - 1 }]
  }
  for (const call of world.calls) {
    const calls = world.calls.filter((one) => one !== call)
    const { attempt, key, amount, sent } = call
    const made = [...world.made, { id: `op-${world.made.length + 1}`, key, attempt, amount }]
    if (now - sent < 2) yield [`the service executes the call of ${key}`, { ...world, calls, made }]
    yield [`the call of ${key} never arrives`, { ...world, calls }]
  }
  for (const { id, key } of world.made) {
    if (!world.known.includes(id)) yield [`the webhook of ${key} is stored`, stored(world, id)]
  }
  if (now < TICKS) yield ['five minutes go by', { ...world, now: now + 1 }]
}

const byText = (a: Run | null, b: Run | null): number =>
  String(JSON.stringify(a)) < String(JSON.stringify(b)) ? -1 : 1

/** An event takes the next number; its insert is repeated until it has one. */
const stored = (world: TillWorld, id: string): TillWorld =>
  world.known.includes(id) ? world : { ...world, known: [...world.known, id], rows: world.rows + 1 }

/** Somebody presses a button, or a process does what is due. */
function* begins(world: TillWorld, { amounts }: TillModelScenario): Generator<[string, TillWorld & { run: Run }]> {
  const fresh = { commands: [], read: 0, readAt: 0 }
  for (const [index, caller] of world.callers.entries()) {
    const amount = amounts[index] as number
    if (caller.tries === 0) continue
    const request: MoneyRequest = {
      ...{ id: `r${world.serial}`, kind: 'capture', keyHash: keyName(index), fingerprint: `${amount}`, amount },
      ...{ hasCurrency: true, hasServerUrl: true },
    }
    const told = caller.final ?? caller.told
    const callers = world.callers.with(index, { tries: caller.tries - 1, ...(told && { told }) })
    const run: Run = { ...fresh, caller: index, messages: [{ type: 'request', request }] }
    yield [`${keyName(index)} is pressed`, { ...world, callers, serial: world.serial + 1, run }]
  }
  const due = world.disk.filter((one) => isOpen(one) && world.now * TICK_MS - one.started_at >= DUE_MS)
  for (const { id, keyHash } of due) {
    const run: Run = { ...fresh, caller: undefined, messages: [{ type: 'check', id }] }
    yield [`settles ${keyHash}`, { ...world, run }]
  }
}

/** @returns The world after the next statement or response, and what the process does then; null: it has ended. */
function* goesOn(world: TillWorld, run: Run): Generator<[string, TillWorld, Run | null]> {
  if (run.awaits !== undefined) return yield* responds(world, run, run.awaits)
  const [command, ...commands] = run.commands
  if (command) return yield* carriesOut(world, { ...run, commands }, command)
  // Reading and deciding is one statement, and what follows it at once.
  if (run.messages.length > 0)
    return yield ['reads', world, { ...run, read: world.rows, readAt: world.now, decides: true }]
  const { caller, answer } = run
  const final = answer && finalOf(answer)
  const asker = caller === undefined ? undefined : world.callers[caller]
  if (caller === undefined || !asker || final === undefined) return yield ['ends', world, null]
  yield [
    `answers ${keyName(caller)}: ${final}`,
    { ...world, callers: world.callers.with(caller, { ...asker, final }) },
    null,
  ]
}

function* responds(world: TillWorld, run: Run, attempt: string): Generator<[string, TillWorld, Run]> {
  const { awaits: _, ...rest } = run
  const say = (how: Omit<Extract<Message, { type: 'responded' }>, 'type' | 'id'>): Run => ({
    ...rest,
    messages: [...rest.messages, { type: 'responded', id: attempt, ...how }],
  })
  const recorded = (outcome: 'unknown' | 'rejected') =>
    say({ outcome, answer: { code: 'recorded', response: outcome } })
  const made = world.made.find((one) => one.attempt === attempt)
  const answer = made && ({ code: 'executed', record: { operation_id: made.id } } as const)
  if (answer) yield ['gets the response', world, say({ outcome: 'done', answer, operation_id: made.id })]
  yield ['gets no response', world, recorded('unknown')]
  const calls = world.calls.filter((call) => call.attempt !== attempt)
  if (calls.length < world.calls.length) yield ['is rejected', { ...world, calls }, recorded('rejected')]
}

/** A row is written where no other one was since this process has read: else it reads and decides again. */
function* carriesOut(world: TillWorld, run: Run, command: Command): Generator<[string, TillWorld, Run | null]> {
  const say = (message: Message): Run => ({ ...run, messages: [...run.messages, message] })
  switch (command.type) {
    case 'store':
    case 'contradict': {
      if (run.read !== world.rows) {
        const { message, waited: waiting } = run
        return yield ['loses the insert', world, { ...run, commands: [], messages: [message as Message], waiting }]
      }
      const next = { ...run, read: run.read + 1 }
      const rows = world.rows + 1
      const { operation } = command
      if (command.type === 'contradict')
        return yield ['writes a late end', { ...world, rows, late: [...world.late, operation.id] }, next]
      const disk = [...world.disk.filter(({ id }) => id !== operation.id), operation]
      yield [`writes the operation: ${operation.outcome ?? 'begun'}`, { ...world, rows, disk }, next]
      if (run.message?.type === 'responded') yield ['cannot write it', world, null]
      return
    }
    case 'send': {
      const { id, keyHash, expected, started_at } = command.operation
      // Compared once more in the last step: a process that was paused sends nothing.
      if (world.now * TICK_MS - started_at > SEND_MS)
        return yield ['was paused, and does not send', world, say({ type: 'responded', id, ...NOT_SENT })]
      const call = { attempt: id, key: keyHash, amount: expected, sent: world.now }
      return yield ['sends the call', { ...world, calls: [...world.calls, call] }, { ...run, awaits: id }]
    }
    case 'store_response':
      return yield [
        'stores the response',
        stored(world, (command.record as { operation_id: string }).operation_id),
        run,
      ]
    case 'look_up': {
      const shown = world.made.reduce((after, { id }) => stored(after, id), world)
      const settleAfterMs = Math.max(command.settleAfterMs, ABSENT_MS)
      yield ['asks the service', shown, say(lookUp(world.made, { ...command, settleAfterMs }, run.readAt * TICK_MS))]
      return yield ['cannot ask', world, say({ type: 'looked_up', id: command.operation.id, outcome: 'unknown' })]
    }
    case 'list':
      return yield ['lists', world.made.reduce((after, { id }) => stored(after, id), world), say(command.message)]
    default:
      yield [command.type, world, run]
  }
}

const NOT_SENT = { outcome: 'not_sent', answer: { code: 'recorded', response: 'not_sent' } } as const

/** A process decides as soon as it has read. */
function decided(world: TillWorld, protocol: Protocol): [TillWorld, string[]] {
  const runs = world.runs.map((run) => {
    const [message, ...messages] = run?.messages ?? []
    if (!run?.decides || !message) return run
    const { waiting, decides: _, ...rest } = run
    const state: OrderState = { ...stateOf(world), ...(waiting && { waiting }) }
    const next = protocol.step(state, message, run.readAt * TICK_MS)
    const answer = next.commands.flatMap((one) => (one.type === 'answer' ? one.answer : [])).at(-1) ?? run.answer
    const then = next.commands.flatMap((one) => (one.type === 'then' ? one.message : []))
    const commands = next.commands.filter(({ type }) => !/^(answer|then)$/.test(type))
    const after = {
      ...rest,
      message,
      waited: waiting,
      messages: [...messages, ...then],
      commands,
      waiting: next.state.waiting,
    }
    return answer ? { ...after, answer } : after
  })
  return [{ ...world, runs }, []]
}

function stateOf({ disk, known, made }: TillWorld): OrderState {
  const operations = made.filter(({ id }) => known.includes(id)).map((one) => shownOf(one, 'capture'))
  const totals = { authorized_minor: TOTAL, captured_minor: 0, refunded_minor: 0, voided_minor: 0, fee_minor: 0 }
  const order = { order_id: 'A-1', isKnown: true, isAddressable: true, operations, operation_ids: [...known], totals }
  return { order, operations: disk as MoneyOperation[] }
}

export const TILL: Machine<TillWorld, TillModelScenario> = { firstWorld, successors, decided, violated }
