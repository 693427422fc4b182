// Replays a trace of the model over a gate. The trace decides who asks when, what becomes of each call, and who dies; what the
// gate makes of it is its own, and is compared with the model's last world.

import { sha256Base64url } from '../../src/lib/sha256.ts'
import type { MoneyOperation } from '../../src/money/protocol.ts'
import { callGate } from '../../src/shop/call-gate.ts'
import type { ShopEnv } from '../../src/shop/env.ts'
import type { RecordedResponse } from '../../src/shop/lib/money-answers.ts'
import { packEvent } from '../../src/shop/order/store-event.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import { type Payload, payment, secondary } from '../worker/support/events.ts'
import type { Block, Trace } from './explore.ts'
import { keyName, TICK_MS, TOTAL, type Told, type World } from './model.ts'
import type { Answer, Stage } from './stage.ts'

/** The compared values. */
export interface Outcome {
  /** Where the gate waited after each block. */
  waits: (Stage['waitsFor'] | 'nothing')[]
  sent: number[]
  /** The operations on disk: key, amount, outcome, the service's operation. */
  disk: string[]
  /** The service's operations that the gate has events of. */
  known: string[]
  answers: (Told | 'nothing')[]
}

/** The model's verdict on a trace. */
export function outcomeOf({ blocks, scenario }: Trace): Outcome {
  const { disk, known, callers } = (blocks.at(-1) as Block).world
  return {
    waits: blocks.map(({ world }) => waitOf(world)),
    sent: blocks.flatMap(({ does, world }) =>
      does.includes('sends the call') ? [world.calls.at(-1)?.amount as number] : [],
    ),
    disk: disk.map((one) => rowOf(one, one.keyHash, one.operation_id)).sort(),
    known: [...known].sort(),
    answers: scenario.tries.map((_, index) => callers[index]?.final ?? 'nothing'),
  }
}

function waitOf({ run }: World): Outcome['waits'][number] {
  if (!run) return 'nothing'
  if (run.awaits !== undefined) return 'sends'
  return run.commands[0]?.type === 'store' ? 'watches' : 'asks'
}

const rowOf = ({ expected, outcome, started_at }: MoneyOperation, key: string, operation = 'none'): string =>
  [key, expected, outcome ?? 'begun', operation, (started_at % DAY_MS) / TICK_MS].join(' ')
const IS_OPEN = "coalesce(json_extract(operation, '$.outcome'), 'unknown') = 'unknown'"
const DAY_MS = 86_400_000

const numberOf = (operation_id: string): string => `op-${Number(operation_id.slice(-2))}`

/** The belief of a caller after a response. */
function told({ status, body }: RecordedResponse): Outcome['answers'][number] {
  if (status === 200) return 'made'
  return status === 422 || String((body as { code?: string }).code).endsWith('_not_executed') ? 'not made' : 'nothing'
}

/** The order of one trace, whose gate is reached through these bindings. */
export class Replay {
  private readonly env: ShopEnv
  private readonly order_id: string
  private readonly stage: Stage
  private readonly records = new Map<string, Payload>()
  private readonly primary: Payload
  private readonly answers: Outcome['answers']
  /** Whether the answer of this run gets lost. */
  private isLost = false
  private readonly trace: Trace

  constructor(env: ShopEnv, order_id: string, stage: Stage, trace: Trace) {
    this.env = env
    this.order_id = order_id
    this.stage = stage
    this.trace = trace
    this.primary = payment(order_id, { method: 'auth', amount: TOTAL / 100 })
    this.answers = trace.scenario.tries.map(() => 'nothing')
  }

  async play(): Promise<Outcome> {
    const { stage, trace } = this
    await this.receive(this.primary)
    // As after a checkout: the gate knows that nothing was made before.
    await this.sql('UPDATE birth SET asked = 1')
    if (trace.scenario.madeBefore) await this.receive(this.recordOf({ id: 'op-0', amount: trace.scenario.madeBefore }))
    const waits: Outcome['waits'] = []
    for (const [index, block] of trace.blocks.entries()) {
      await this.block(block, trace.blocks[index - 1]?.world)
      waits.push(stage.waitsFor ?? 'nothing')
      // The next line would wait forever.
      if (waits.at(-1) !== waitOf(block.world)) break
    }
    const keys = new Map(trace.scenario.tries.map((_, i) => [sha256Base64url(`key-${i}`), keyName(i)]))
    const rows = await this.sql('SELECT operation FROM operation')
    const disk = rows.map(({ operation }) => JSON.parse(String(operation)) as MoneyOperation)
    const stored = [...stage.kv].filter(([key]) => key.startsWith('event/'))
    const events = stored.map(([, { value }]) => (JSON.parse(value) as { event: Payload }).event)
    return {
      waits,
      sent: stage.sent,
      disk: disk
        .map((one) => rowOf(one, keys.get(one.keyHash) ?? '', one.operation_id && numberOf(one.operation_id)))
        .sort(),
      known: events.flatMap(({ operation_id }) => (operation_id ? [numberOf(String(operation_id))] : [])).sort(),
      answers: this.answers,
    }
  }

  /** Events of the service and the network change nothing here: the next call sees it. */
  private async block({ does, world }: Block, before: World | undefined): Promise<void> {
    const { stage } = this
    const [first = ''] = does
    stage.now = world.now * TICK_MS
    stage.cannotStore = does.includes('cannot store it')
    this.isLost = does.includes('its answer is lost')
    const response = this.responseTo(first, world, before?.run?.awaits)
    if (response) await stage.goOn(response)
    else if (first.endsWith('asks for a capture')) await this.ask(first.startsWith(keyName(0)) ? 0 : 1)
    else if (first.startsWith('the alarm')) await this.alarm()
    else if (first.startsWith('a person')) await this.settle(!first.endsWith('not made'))
    else if (first === 'the worker dies') await this.cutOff('die')
    else if (first === 'the gate loses its storage') await this.cutOff('lose')
    else if (first.startsWith('the webhook')) {
      for (const made of world.made) {
        if (world.known.includes(made.id) && !before?.known.includes(made.id)) await this.receive(this.recordOf(made))
      }
    }
  }

  /** The promises that the gate has waited for. */
  private responseTo(what: string, { made }: World, call: string | undefined): Answer | undefined {
    const own = made.find(({ attempt }) => attempt === call)
    switch (what) {
      case 'stores the operation: begun':
        return { status: 200, body: null }
      case 'the response arrives':
        return { status: 200, body: own && this.recordOf(own) }
      case 'the response is lost':
        return { status: 502, body: {} }
      case 'the service rejects it':
        return { status: 422, body: {} }
      case 'it cannot be sent':
        return { status: 429, body: {} }
      case 'asks the service':
      case 'lists':
      case 'has the service list everything':
        return { status: 200, body: [this.primary, ...made.map((one) => this.recordOf(one))] }
      case 'cannot ask the service':
      case 'cannot list what the service has':
        return { status: 401, body: {} }
    }
    return undefined
  }

  private recordOf({ id, amount }: { id: string; amount: number }): Payload {
    const operation_id = `00000000-0000-4000-9000-${id.slice(3).padStart(12, '0')}`
    const record = this.records.get(id) ?? secondary(this.order_id, 'capture', { operation_id, amount: amount / 100 })
    this.records.set(id, record)
    return record
  }

  private call(name: string, subject: unknown, ...argument: unknown[]): Promise<unknown> {
    const { order_id } = this
    return callGate(this.env, `order/${order_id}`, { name, order_id, subject, argument })
  }

  private receive(record: Payload): Promise<unknown> {
    return this.call('storeWebhook', packEvent(readEvent(record), this.env))
  }

  private ask(index: number): Promise<void> {
    this.answers[index] = 'nothing'
    const amount = this.trace.scenario.amounts[index]
    const fields = { order_currency: 'UAH', ...(amount !== null && { charge_amount: amount }) }
    const call = this.call('moveMoney', this.order_id, { kind: 'capture', idempotencyKey: `key-${index}`, fields })
    return this.stage.begin(() =>
      call.then(
        (answer) => {
          if (!this.isLost) this.answers[index] = told(answer as RecordedResponse)
        },
        () => {},
      ),
    )
  }

  /** The time at which the schedule asks has come. */
  private async alarm(): Promise<void> {
    await this.sql(
      `UPDATE task SET next_at = 0, task = json_set(task, '$.next_at', 0, '$.asks', 0, '$.since', 0)
       WHERE kind = 'open' AND id IN (SELECT id FROM operation WHERE ${IS_OPEN})`,
    )
    await this.stage.begin(() => this.control('alarm').catch(() => {}))
  }

  private async settle(executed: boolean): Promise<void> {
    const [{ id } = { id: '' }] = await this.sql(`SELECT id FROM operation WHERE ${IS_OPEN}`)
    await this.stage.begin(() => this.call('settleByHand', this.order_id, { attempt_id: id, executed }))
  }

  private async cutOff(how: 'die' | 'lose'): Promise<void> {
    await this.control(how).catch(() => {})
    await this.stage.end()
  }

  private async sql(query: string): Promise<Record<string, unknown>[]> {
    return (await (await this.control('sql', query)).json()) as Record<string, unknown>[]
  }

  private control(path: string, body = ''): Promise<{ json(): Promise<unknown> }> {
    const { ORDER_GATE: gates } = this.env
    const gate = gates.get(gates.idFromName(`order/${this.order_id}`) as never)
    return gate.fetch(`https://control/${path}`, { method: 'POST', body })
  }
}
