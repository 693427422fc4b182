import { operationKey, type WebhookEvent } from '../../src/index.ts'
import { recordOf } from '../../src/schemas/read.ts'
import type { GateDouble } from '../worker/support/gate-double.ts'
import { ORDER } from '../worker/support/world.ts'
import type { Steps } from './steps.ts'
import type { Timer } from './time.ts'

/** The fates of a call: it throws, before or after it has done its work, hangs, or ends the program. */
type Failure = 'onEvent' | 'hang' | 'ends'

interface Around {
  gate: GateDouble
  steps: Steps
  wrong: Set<string>
  fails: (failure: Failure, what: string) => boolean
  kill: () => void
}

/** Values that lead to the customer, or are their card's: the first thing that something contains. */
export function personIn(content: unknown): string | undefined {
  const { customer_email, customer_phone, customer_patronym, description } = ORDER
  const all = [
    customer_email,
    customer_phone,
    customer_patronym,
    description,
    '411111*',
    '"1111"',
    'receipts/',
    '"/checkout/',
  ]
  const text = JSON.stringify(content, (_, value) => (value instanceof Map ? [...value] : value))
  return all.find((one) => text.includes(one))
}

/** The events that were queued for an order, with their `operationKey`. */
export function queueOf(gate: GateDouble, order: string) {
  const rows = [...gate.rows(order)]
  const events = new Map(rows.flatMap(([key, row]) => (key.startsWith('event/') ? [[row.id, row]] : [])))
  return rows.flatMap(([key, { event_id, operation, entry }]) => {
    const event = key.startsWith('queue/') && events.get(event_id)
    if (!event) return []
    return [{ operation: String(operation).slice(1), entry, isErased: event.erased === 1 }]
  })
}

/** A dead program waits forever. */
export const never = <T>(): Promise<T> => new Promise(() => {})

/** The shop's `onEvent`: how often it is called for what, and how it fails. */
export class OnEvent {
  /** The operations, each in a status, for which it ran, as often as it ran. */
  readonly handled: string[] = []
  /** Those for which it was called, with their orders. */
  private readonly called = new Map<string, string>()
  /** Those of them whose last call failed, or was cut off before its end was on disk: another call follows. */
  private readonly cutOff = new Set<string>()
  /** Events that it must not get any more: an earlier call ended after these were handled. */
  private over: readonly string[] = []
  /** Events that it may get only without the personal data. */
  erased: readonly string[] = []
  private readonly around: Around

  constructor(around: Around) {
    this.around = around
  }

  async call(actor: string, event: WebhookEvent, limit: Timer | undefined): Promise<void> {
    const { gate, steps, wrong, fails, kill } = this.around
    const operation = operationKey(event)
    if (this.called.has(operation) && !this.cutOff.delete(operation))
      wrong.add(`onEvent was called again: ${event.kind} ${recordOf(event).status}`)
    const order_id = String(recordOf(event).order_id).replace(/~.*/, '')
    this.called.set(operation, order_id)
    if (this.over.includes(operation)) wrong.add('onEvent got an event that was handled before')
    if (this.erased.includes(operation) && personIn(recordOf(event)) !== undefined) wrong.add('onEvent got erased data')
    let isGivenUp = false
    if (limit) {
      const giveUp = limit.run
      limit.run = () => {
        isGivenUp = true
        this.cutOff.add(operation)
        giveUp()
      }
    }
    await steps.at(actor, 'onEvent')
    if (isGivenUp) return never()
    if (fails('ends', 'onEvent ends the program, and')) {
      kill()
      return never()
    }
    // A write that a program has not on disk when it ends comes again.
    this.over = queueOf(gate, order_id).flatMap(({ entry, operation }) => (entry === null ? operation : []))
    if (limit && fails('hang', 'onEvent hangs, and')) {
      this.cutOff.add(operation)
      return never()
    }
    const fail = (what: string) => {
      if (!fails('onEvent', what)) return
      this.cutOff.add(operation)
      throw new Error('The shop is down.')
    }
    fail('onEvent')
    this.handled.push(operation)
    fail('onEvent, afterwards,')
    await steps.at(actor, 'onEvent ends')
  }

  /** Events that it was called for and that are still queued, when something has failed. */
  findCutOff(): void {
    for (const order_id of new Set(this.called.values())) {
      for (const { entry, operation } of queueOf(this.around.gate, order_id))
        if (entry !== null && this.called.has(operation)) this.cutOff.add(operation)
    }
  }
}
