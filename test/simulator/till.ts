import { DatabaseSync } from 'node:sqlite'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { PERTURBATIONS } from '../../src/emulator/state/perturbations.ts'
import { createClient, createWebhookHandler } from '../../src/index.ts'
import type { OperationKind } from '../../src/money/protocol.ts'
import { createTill, type Moved, type ReceivedEvent, type Till, type TillDatabase } from '../../src/till/index.ts'
import { PAYMENT } from '../till/support/open-till.ts'
import { createRandom } from '../worker/support/random.ts'
import { payAt } from '../worker/support/world.ts'
import { CARDS, madeOf, totalsOf } from './ledger.ts'
import { never } from './on-event.ts'
import { Disturbances, type Played, type Schedule } from './schedule.ts'
import { START } from './simulation.ts'
import { createSteps, type Steps } from './steps.ts'
import { followClock, passTime, runTimers } from './time.ts'

/** The fate of a request to the service, or of its sender. */
type Fate = 'answered' | 'refused' | 'lost before' | 'lost after' | 'died before' | 'died after'

/** Simultaneous work of several processes of one shop on one order, over one SQLite. */
export interface TillScenario {
  method: 'auth' | 'purchase'
  /** Key, kind and amount of each press of a button; all that is left without an amount. */
  calls: readonly (readonly [key: string, kind: OperationKind, amount?: number])[]
  /** A press before them, whose process died or whose response was lost. */
  open?: readonly [kind: OperationKind, amount?: number]
  /** All of them have seen the order as it was paid. */
  sawSame?: boolean
  /** So many customers open the payment at once. */
  opens?: number
  /** Probability that a call's response, or the call, is lost. */
  lost?: number
  /** So much is captured at once by another program, which only a webhook tells. Then nothing is lost. */
  beside?: number
  /** Whether the shop's own code throws at times, or ends its process. */
  isBroken?: boolean
}

interface Faults {
  kill: number
  busy: number
  onEvent: number
}
const NO_FAULTS: Faults = { kill: 0, busy: 0, onEvent: 0 }

interface Wish {
  key: string
  kind: OperationKind
  amount: number | undefined
  version: string | undefined
  answers: Moved[]
}

interface Life {
  isOver: boolean
  end: Promise<undefined>
  die(): void
}

interface Process {
  name: string
  life: Life
  till: Till
}

const ORDER_ID = PAYMENT.order_id
const SECOND = 1000
const MINUTE = 60 * SECOND
/** The SDK gives a call up after this long. */
const CALL_MS = 30 * SECOND
/** The till assumes that no request arrives ten minutes after it was sent. */
const INSIDE_MS = 9 * MINUTE
const JUMPS = [0.2 * SECOND, 5 * SECOND, 20 * SECOND, 31 * SECOND, 61 * SECOND, 5 * MINUTE, 11 * MINUTE]
const TURNS = 150
const LOST: readonly Fate[] = ['refused', 'lost before', 'lost after', 'died before', 'died after']

function beginLife(): Life {
  let die = (): void => {}
  const end = new Promise<undefined>((resolve) => {
    die = () => resolve(undefined)
  })
  return { isOver: false, end, die: () => die() }
}

const isChanged = (moved: Moved): boolean => moved.outcome === 'not_sent' && moved.reason === 'order_changed'
const isFinal = (moved: Moved): boolean => ['done', 'rejected'].includes(moved.outcome) || isChanged(moved)

/** Three processes whose every statement and every call waits until a seeded scheduler lets it go. */
class TillWorld {
  time = START
  readonly wrong = new Set<string>()
  readonly steps: Steps
  readonly disturbances: Disturbances
  readonly emulator: Emulator
  readonly wishes = new Map<string, Wish>()
  readonly processes: Process[] = []
  private readonly random: () => number
  private readonly database = new DatabaseSync(':memory:')
  private readonly inside = new Set<number>()
  private readonly told = new Set<string>()
  /** Operations of another program. */
  private readonly others = new Set<string>()
  private readonly telling = new Set<string>()
  private faults = NO_FAULTS
  private fate: () => Fate = () => 'answered'
  private jumps = 0
  private webhooks = 0
  private demotions: ReadonlySet<number> = new Set()

  constructor(schedule: Schedule) {
    const now = () => this.time
    followClock(now)
    this.disturbances = new Disturbances(schedule)
    this.random = createRandom(schedule.seed)
    this.steps = createSteps({
      random: createRandom(schedule.seed ^ 0x0bde5),
      now,
      before: () => this.disturbTurn(),
      demotes: (turn) => this.demotions.has(turn) && this.disturbances.keeps(),
      idle: () => passTime((ms) => this.advance(ms)),
    })
    this.database.function('now_ms', now)
    this.emulator = createEmulator({
      seed: 7,
      clock: { now },
      perturbations: PERTURBATIONS.filter(() => this.disturbances.draws(0.2)),
      fetch: (input, init) => this.deliver(input as string, init as RequestInit),
    })
    for (const name of ['one', 'two', 'three']) this.processes.push(this.start(name))
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  private start(name: string): Process {
    const life = beginLife()
    const client = createClient({
      ...this.emulator.credentials,
      maxRetries: 0,
      onWarning() {},
      fetch: ((url: string, init: RequestInit) => this.service(name, life, url, init)) as typeof fetch,
    })
    const onEvent = (stored: ReceivedEvent) => this.onEvent(name, life, stored)
    return { name, life, till: createTill({ client, database: this.databaseOf(name, life), onEvent }) }
  }

  /** A process dies: what it waits for never comes. Another one is started in its place, and does what is due. */
  private kill(index: number): void {
    const old = this.processes[index] as Process
    old.life.isOver = true
    this.steps.drop(old.name)
    this.steps.note(`${old.name} dies`)
    old.life.die()
    for (const call of this.telling) if (call.startsWith(`${old.name} `)) this.telling.delete(call)
    const next = this.start(old.name)
    this.processes[index] = next
    this.steps.begin(this.settle(index))
  }

  private databaseOf(name: string, life: Life): TillDatabase {
    return {
      clock: 'now_ms()',
      run: async (sql, values) => {
        const kind = values.find((value) => /^(event|payment|operation|end|listed)$/.test(String(value))) ?? ''
        const what = `${/^\w+( INTO| edgetill_\w+)?/.exec(sql)?.[0]} ${kind}`.trim()
        if (life.isOver) return never()
        const rows = await this.steps.call(name, what, async () => {
          if (this.draws('kill', `before ${what}`)) return this.killOf(name)
          if (this.draws('busy', `${name}: ${what}: busy`)) throw new Error('database is locked')
          const rows = this.database.prepare(sql).all(...values)
          if (this.draws('kill', `after ${what}`)) return this.killOf(name)
          if (!sql.startsWith('SELECT') && this.draws('busy', `${name}: ${what}: done, and its response is lost`))
            throw new Error('disk I/O error')
          return rows
        })
        // A process may be paused before it goes on.
        if (sql.startsWith('SELECT')) await this.steps.at(name, 'has read')
        return life.isOver ? never() : (rows as Record<string, unknown>[])
      },
    }
  }

  private killOf(name: string): undefined {
    this.kill(this.processes.findIndex((one) => one.name === name))
  }

  private draws(fault: keyof Faults, what: string): boolean {
    if (!this.steps.on || !this.disturbances.draws(this.faults[fault])) return false
    this.steps.note(what)
    return true
  }

  private async onEvent(name: string, life: Life, { id }: ReceivedEvent): Promise<void> {
    if (life.isOver) return never()
    // A process that is paused after it has claimed an event may come after another one.
    const isClaimed = this.jumps === 0 && [...this.telling].some((call) => call.endsWith(` ${id}`))
    if (isClaimed) this.wrong.add('onEvent is called twice at once')
    this.telling.add(`${name} ${id}`)
    await this.steps.call(name, 'onEvent', async () => {})
    this.telling.delete(`${name} ${id}`)
    if (life.isOver) return never()
    if (this.draws('onEvent', `${name}: onEvent throws`)) throw new Error('The shop failed.')
    this.told.add(id)
  }

  /** A request arrives although its sender has died, and not later than the till assumes. */
  private async service(name: string, life: Life, url: string, init: RequestInit): Promise<Response> {
    if (life.isOver) return never()
    const path = `${init.method} ${new URL(url).pathname}`
    const fate = init.method === 'POST' ? this.fate() : 'answered'
    const sent = this.time
    const die = (): Promise<Response> => {
      this.killOf(name)
      return never()
    }
    if (fate === 'died before') return die()
    if (fate === 'refused') throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    this.inside.add(sent)
    const arrive = async (): Promise<Response | undefined> => {
      await this.steps.at('network', `${path} of ${name}, ${fate}`)
      this.inside.delete(sent)
      return fate === 'lost before'
        ? undefined
        : await this.steps.busy(this.emulator.fetch(url, { ...init, signal: null }))
    }
    const arrived = arrive()
    this.steps.begin(arrived)
    if (fate === 'died after') return die()
    const response = await arrived
    if (life.isOver) return never()
    await this.steps.at(name, `${response?.status ?? 'nothing'} for ${path}`)
    const isLate = init.method === 'POST' && this.time - sent > CALL_MS
    if (!response || fate === 'lost after' || isLate) throw new TypeError('The connection was reset.')
    return response
  }

  /** A webhook reaches one of the processes. */
  private async deliver(url: string, init: RequestInit): Promise<Response> {
    if (!init.body) return new Response()
    const number = ++this.webhooks
    const send = async (): Promise<Response> => {
      await this.steps.at(`webhook${number}`, 'delivery')
      const process = this.pick(this.processes)
      const secrets = this.emulator.credentials.apiSecret
      const handle = createWebhookHandler({
        secrets,
        onEvent: process.till.receive,
        onRejected() {},
        timeoutMs: 60_000,
      })
      const response = await Promise.race([handle(new Request(url, init)), process.life.end])
      this.steps.note(`webhook${number}: ${response?.status ?? 'nothing'} of ${process.name}`)
      return new Response(null, { status: response?.status ?? 502 })
    }
    const sent = send()
    this.steps.begin(sent)
    return sent
  }

  private disturbTurn(): void {
    if (!this.disturbances.draws(this.jumps)) return
    const ms = this.disturbances.pick(JUMPS)
    if (this.time + ms > Math.min(...[...this.inside].map((sent) => sent + INSIDE_MS))) return
    this.advance(ms)
  }

  advance(ms: number): void {
    this.time += ms
    runTimers()
    this.steps.note(`clock +${ms}`)
    void this.emulator.clock.advance({})
  }

  /** From now on every statement and every call waits for its turn. */
  disturb({ lost = 0, isBroken = false, beside }: TillScenario): void {
    const { disturbances } = this
    this.jumps = beside ? 0 : disturbances.pick([0, 0, 0.02, 0.08, 0.2])
    this.fate = () => (disturbances.draws(lost) ? disturbances.pick(LOST) : 'answered')
    const changes = Array.from({ length: disturbances.pick([1, 2, 4, 8]) }, () => disturbances.random() * TURNS)
    this.demotions = new Set(changes.map(Math.floor))
    const faults = disturbances.pick<Partial<Faults>>([{}, {}, { kill: 0.01 }, { kill: 0.02 }, { busy: 0.03 }])
    this.faults = { ...NO_FAULTS, ...(beside ? {} : faults), onEvent: isBroken ? 0.4 : 0 }
    this.steps.on = true
  }

  /** An actor of the schedule; a schedule may do without. */
  begin(work: () => Promise<unknown>): void {
    if (this.disturbances.keeps()) this.steps.begin(work())
  }

  async calm(): Promise<void> {
    await this.steps.run()
    this.steps.on = false
    this.faults = NO_FAULTS
    this.fate = () => 'answered'
  }

  async settle(index: number): Promise<void> {
    const { name, life, till } = this.processes[index] as Process
    await this.steps.at(`settling of ${name}`, 'begins')
    if (life.isOver) return
    // A database that fails is asked again a minute later.
    await Promise.race([till.settle(), life.end]).catch(() => {})
  }

  async pass(minutes: number): Promise<void> {
    await this.emulator.deliveries.idle()
    this.advance(minutes * MINUTE)
    await this.emulator.deliveries.idle()
    for (const index of this.processes.keys()) await this.settle(index)
    await this.emulator.deliveries.idle()
  }

  wish(key: string, kind: OperationKind, amount?: number, version?: string): Wish {
    const wish = this.wishes.get(key) ?? { key, kind, amount, version, answers: [] }
    this.wishes.set(key, wish)
    return wish
  }

  /** @returns Undefined where the process died. */
  async press(
    { key, kind, amount, version, answers }: Wish,
    { name, life, till }: Process,
  ): Promise<Moved | undefined> {
    const field = kind === 'capture' ? 'charge_amount' : 'refund_amount'
    const input = { order_id: ORDER_ID, order_currency: 'UAH', ...(amount !== undefined && { [field]: amount }) }
    const answer = await Promise.race([till[kind](input, { key, ifVersion: version }), life.end])
    this.steps.note(`${key} at ${name}: ${answer ? textOf(answer) : 'the connection was reset'}`)
    if (answer && isFinal(answer)) answers.push(answer)
    return answer
  }

  /** Presses again, at whichever process it reaches; under a new key where it was not executed. */
  async person(wish: Wish): Promise<void> {
    for (let time = 0; time < 3; time++) {
      const process = this.pick(this.processes)
      await this.steps.at(`${wish.key} at ${process.name}`, 'begins')
      if (process.life.isOver) continue
      const answer = await this.press(wish, process)
      if (answer?.outcome === 'rejected' && answer.error.code === 'not_executed') {
        const again = this.wish(`${wish.key}-again`, wish.kind, wish.amount)
        await this.press(again, this.pick(this.processes))
        return
      }
      if (answer && isFinal(answer) && this.random() < 0.6) return
    }
  }

  async open(): Promise<void> {
    for (let time = 0; time < 2; time++) {
      const { name, life, till } = this.pick(this.processes)
      await this.steps.at(`customer at ${name}`, 'opens')
      if (life.isOver) continue
      const opened = await Promise.race([till.createPayment({ ...PAYMENT, method: 'purchase' }), life.end])
      this.steps.note(`${name}: ${opened?.outcome} ${opened?.outcome === 'done' ? opened.url : ''}`)
    }
  }

  async capture(charge_amount: number): Promise<void> {
    await this.steps.at('another program', 'captures')
    const client = createClient({ ...this.emulator.credentials, fetch: this.emulator.fetch, onWarning() {} })
    const { server_url } = PAYMENT
    const input = { order_id: ORDER_ID, order_currency: 'UAH', charge_amount, server_url }
    this.others.add((await this.steps.busy(client.capturePayment(input))).operation_id)
  }

  /** The service's ledger, the rows, the answers and the order say the same. */
  async compare(): Promise<void> {
    const { till } = this.processes[0] as Process
    // An order is as it was seen again once what was asked for since has failed.
    const said = [...this.wishes.values()].map(({ answers }) => {
      const ended = answers.filter((answer) => !isChanged(answer))
      return [...new Set((ended.length > 0 ? ended : answers).map(textOf))]
    })
    const summary = JSON.stringify(Object.fromEntries([...this.wishes.keys()].map((key, index) => [key, said[index]])))
    const ids = said.flat().flatMap((text) => /^done (.*)/.exec(text)?.[1] ?? [])
    const all = madeOf(this.emulator, ORDER_ID)
    const made = all.flatMap(({ operation_id: id }) => (this.others.has(id) ? [] : id))
    if (said.some(({ length }) => length !== 1)) this.wrong.add(`not one answer for one key: ${summary}`)
    if (new Set(ids).size !== ids.length) this.wrong.add(`one operation for two keys: ${summary}`)
    if (ids.length !== made.length || ids.some((id) => !made.includes(id)))
      this.wrong.add(`the service has made ${made.length}: ${summary}`)
    const seen = [...this.wishes.values()]
      .filter(({ version }) => version)
      .flatMap(({ answers }) => answers.map(textOf))
    const moved = all.flatMap(({ operation_id, status }) => (status === 'success' ? operation_id : []))
    if (seen.some((text) => moved.indexOf(text.replace('done ', '')) > 0))
      this.wrong.add(`money was moved of an order that had changed: ${summary}`)
    const order = await till.order(ORDER_ID)
    const truth = totalsOf(this.emulator, ORDER_ID).join(', ')
    const { captured, refunded, voided } = order?.totals ?? { captured: 0, refunded: 0, voided: 0 }
    const shown = [captured, refunded, voided].join(', ')
    if (shown !== truth) this.wrong.add(`the totals ${shown} are not those of the service: ${truth}`)
    if ((order?.attempts ?? []).length > 0) this.wrong.add('an attempt stays open')
    const attention = (await till.attention()).map(({ kind }) => kind).filter((kind) => kind !== 'flag')
    if (attention.length > 0) this.wrong.add(`a person is asked about ${attention.join(', ')}`)
    this.compareRows(ids)
  }

  private compareRows(ids: readonly string[]): void {
    const rows = this.database.prepare('SELECT * FROM edgetill_log').all() as Record<string, string>[]
    const ends = rows.filter(({ kind }) => kind === 'end').map(({ body = '' }) => JSON.parse(body))
    const done = ends.flatMap(({ outcome, operation_id }) => (outcome === 'done' ? String(operation_id) : []))
    if (done.sort().join() !== [...ids].sort().join()) this.wrong.add(`the rows have ${done.length} of ${ids.length}`)
    const events = rows.filter(({ kind }) => kind === 'event')
    const heard = new Set(events.filter(({ id = '' }) => this.told.has(id)).map(({ name }) => name))
    const unheard = events.filter(({ name }) => !heard.has(name as string))
    if (unheard.length > 0) this.wrong.add(`onEvent was never called for ${unheard.length} events`)
  }

  compareOpening(): void {
    const payments = this.emulator.orders.get(ORDER_ID)?.payments ?? []
    if (payments.length !== 1) this.wrong.add(`${payments.length} payments of one order`)
  }
}

const textOf = (moved: Moved): string => {
  if (moved.outcome === 'done') return `done ${(moved.record as { operation_id?: string }).operation_id}`
  if (moved.outcome === 'rejected') return `rejected ${moved.error.code} ${moved.error.message}`
  return moved.outcome === 'unknown' ? 'unknown' : `not sent ${moved.reason}`
}

/** Plays one schedule. */
export async function playTill(scenario: TillScenario, schedule: Schedule): Promise<Played> {
  const world = new TillWorld(schedule)
  await playScenario(world, scenario)
  return { log: world.steps.log, wrong: [...world.wrong], disturbed: world.disturbances.happened }
}

async function playScenario(world: TillWorld, scenario: TillScenario): Promise<void> {
  const { method, calls, open, sawSame, opens = 0 } = scenario
  const till = (): Till => (world.processes[1] as Process).till
  for (const { till } of world.processes) await till.migrate()
  if (opens > 0) {
    world.disturb(scenario)
    for (let i = 0; i < opens; i++) world.begin(() => world.open())
    world.begin(() => world.settle(1))
    await world.calm()
    world.advance(2 * MINUTE)
    await world.open()
    world.compareOpening()
    if (world.wrong.size > 0) return
  } else await till().createPayment({ ...PAYMENT, method })
  const url = (await till().order(ORDER_ID))?.url
  // Its address was lost with the process that got it.
  if (!url) return
  await payAt(world.emulator, url, world.pick(CARDS))
  await world.emulator.deliveries.idle()
  await world.settle(0)
  const version = sawSame ? (await till().order(ORDER_ID))?.version : undefined
  if (open) {
    world.disturb({ ...scenario, lost: 1 })
    const wish = world.wish(world.pick(['one', 'before']), ...open)
    world.steps.begin(world.press(wish, world.processes[0] as Process))
    await world.calm()
    world.advance(world.pick([2, 61, 100, 200, 640, 960]) * SECOND)
  }
  world.disturb(scenario)
  for (const [key, kind, amount] of calls) world.begin(() => world.person(world.wish(key, kind, amount, version)))
  for (const index of world.processes.keys()) world.begin(() => world.settle(index))
  const { beside } = scenario
  if (beside) world.begin(() => world.capture(beside))
  await world.calm()
  for (let time = 0; time < 60; time++) {
    await world.pass(5)
    const answers: (Moved | undefined)[] = []
    for (const wish of world.wishes.values()) answers.push(await world.press(wish, world.pick(world.processes)))
    if (time > 2 && answers.every((answer) => answer && isFinal(answer))) break
  }
  await world.pass(15)
  await world.pass(15)
  await world.compare()
}
