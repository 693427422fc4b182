import { operationKey } from '../../src/orders/index.ts'
import { recordOf } from '../../src/schemas/read.ts'
import type { ObjectDouble } from '../../src/testing/object-double.ts'
import type { ReceivedEvent } from '../../src/till/queue.ts'
import { ORDER } from '../worker/support/world.ts'
import type { Steps } from './steps.ts'
import type { Timer } from './time.ts'

/** The fates of a call: it throws, before or after it has done its work, hangs, or ends the program. */
type Failure = 'onEvent' | 'hang' | 'ends'

interface Around {
  object: Pick<ObjectDouble, 'rows'>
  steps: Pick<Steps, 'at'>
  wrong: Set<string>
  now: () => number
  fails: (failure: Failure, what: string) => boolean
}

/** A call of it: the event's row, and who called. */
interface Called {
  operation: string
  isolate: object
  at: number
}

/** A claim of an event ends, at the earliest, so long after its call has begun: then another call may follow. */
const CLAIM_MS = 10_000

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

/** A dead program waits forever. */
export const never = <T>(): Promise<T> => new Promise(() => {})

/** The shop's `onEvent`: how often it is called for what, and how it fails. */
export class OnEvent {
  /** The operations, each in a status, for which it ran, as often as it ran. */
  readonly handled: string[] = []
  /** The last call for each event. */
  private readonly called = new Map<string, Called>()
  /** Those of them whose last call failed, or was cut off before its end was written: another call follows. */
  private readonly cutOff = new Set<string>()
  /** Events that it must not get any more: an earlier call ended after these were handled. */
  private over: readonly string[] = []
  /** Events that it may get only without the personal data. */
  erased: readonly string[] = []
  private readonly around: Around

  constructor(around: Around) {
    this.around = around
  }

  /** @param limit The timer that gives the call up. */
  async call(
    actor: string,
    { id, event }: ReceivedEvent,
    limit: Timer | undefined,
    isolate: { isOver: boolean },
    kill: () => void,
  ): Promise<void> {
    const { steps, wrong, fails, now } = this.around
    const operation = operationKey(event)
    const before = [...this.called].find(([, one]) => one.operation === operation)?.[0]
    if (before !== undefined && !this.cutOff.delete(before))
      wrong.add(`onEvent was called again: ${event.kind} ${recordOf(event).status}`)
    this.called.set(id, { operation, isolate, at: now() })
    if (this.over.includes(id)) wrong.add('onEvent got an event that was handled before')
    if (this.erased.includes(id) && personIn(recordOf(event)) !== undefined) wrong.add('onEvent got erased data')
    let isGivenUp = false
    if (limit) {
      const giveUp = limit.run
      limit.run = () => {
        isGivenUp = true
        this.cutOff.add(id)
        giveUp()
      }
    }
    await steps.at(actor, 'onEvent')
    if (isGivenUp || isolate.isOver) return never()
    if (fails('ends', 'onEvent ends the program, and')) {
      kill()
      return never()
    }
    this.over = this.rows('next_at IS NULL')
    if (limit && fails('hang', 'onEvent hangs, and')) {
      this.cutOff.add(id)
      return never()
    }
    const fail = (what: string) => {
      if (!fails('onEvent', what)) return
      this.cutOff.add(id)
      throw new Error('The shop is down.')
    }
    fail('onEvent')
    this.handled.push(operation)
    fail('onEvent, afterwards,')
    await steps.at(actor, 'onEvent ends')
    const { at = 0 } = this.called.get(id) ?? {}
    if (now() - at > CLAIM_MS) this.cutOff.add(id)
  }

  /** The events that it was called for, with a row like this. */
  private rows(condition: string): string[] {
    if (this.called.size === 0) return []
    const rows = this.around.object.rows(`SELECT id FROM edgetill_log WHERE kind = 'event' AND ${condition}`)
    return rows.map(({ id }) => String(id)).filter((id) => this.called.has(id))
  }

  /** Events that it was called for and that are still due, when a statement has failed, or their isolate has died. */
  findCutOff(isolate?: object): void {
    for (const id of this.rows('next_at IS NOT NULL'))
      if (!isolate || this.called.get(id)?.isolate === isolate) this.cutOff.add(id)
  }
}
