import { type CheckoutOrder, createCheckoutLink } from '../../../src/checkout-link/index.ts'
import type { Emulator, Fault, TestCardName } from '../../../src/emulator/index.ts'
import { createRandom } from '../../worker/support/random.ts'
import { LINK_SECRET, ORDER, ORIGIN, payAt } from '../../worker/support/world.ts'
import { StoppableWorkerd } from './stoppable-workerd.ts'

const SECOND = 1000

const MONEY = ['capture-payment', 'refund-payment', 'void-payment'] as const
const READS = ['list-order-operations', 'resend-webhook'] as const
const EVERYWHERE = ['create-payment', 'cancel-payment', ...MONEY, ...READS] as const

/** Every kind of fault, at every place where the worker meets it, with the probability that it fires. */
const FAULTS: readonly [Fault, number][] = [
  ...EVERYWHERE.flatMap((on): [Fault, number][] => [
    [{ kind: 'reset', when: 'before_commit', on }, 0.03],
    [{ kind: 'reset', when: 'after_commit', on }, 0.05],
    [{ kind: 'too_many_requests', retryAfter: 1, on }, 0.02],
    [{ kind: 'server_error', when: 'before_commit', body: 'html', on }, 0.02],
    [{ kind: 'server_error', when: 'after_commit', body: 'empty', on }, 0.03],
    [{ kind: 'server_error', when: 'after_commit', body: 'truncated', on }, 0.01],
    [{ kind: 'body', body: 'truncated', on }, 0.02],
    [{ kind: 'body', body: 'empty', on }, 0.01],
    [{ kind: 'body', body: 'html', on }, 0.01],
    [{ kind: 'body', body: 'huge', on }, 0.002],
    [{ kind: 'no_response', when: 'before_commit', on }, 0.004],
    [{ kind: 'no_response', when: 'after_commit', on }, 0.006],
    [{ kind: 'slow_body', ms: 1, pieces: 3, on }, 0.02],
    [{ kind: 'latency', ms: [0, 2], on }, 0.03],
    [{ kind: 'numbers_as_strings', on }, 0.03],
    [{ kind: 'null_fee', on }, 0.03],
    [{ kind: 'unknown_fields', on }, 0.03],
    [{ kind: 'unknown_status', on }, 0.02],
    [{ kind: 'unknown_method', on }, 0.02],
  ]),
  ...MONEY.flatMap((on): [Fault, number][] => [
    [{ kind: 'status_code', status_code: '4005', on }, 0.02],
    [{ kind: 'status_code', status_code: '2122', on }, 0.02],
  ]),
  [{ kind: 'status_code', status_code: '4005', on: 'checkout' }, 0.05],
  [{ kind: 'duplicate', times: 2 }, 0.1],
  [{ kind: 'reorder' }, 0.1],
  [{ kind: 'delay', ms: 90 * SECOND }, 0.1],
  [{ kind: 'drop' }, 0.1],
  [{ kind: 'corrupt_signature' }, 0.05],
  [{ kind: 'missing_padding' }, 0.05],
  [{ kind: 'numbers_as_strings' }, 0.05],
  [{ kind: 'null_fee' }, 0.05],
  [{ kind: 'unknown_fields' }, 0.05],
  [{ kind: 'unknown_status' }, 0.03],
  [{ kind: 'unknown_method' }, 0.03],
]

/**
 * A worker with real Durable Objects and a real KV in workerd, which is killed and started again over the same files, and the
 * service with every fault, on one clock.
 */
export class Storm {
  readonly emulator: Emulator
  readonly random: () => number
  kills = 0
  private isCalm = false
  private readonly workerd: StoppableWorkerd

  static async start(seed: number): Promise<Storm> {
    let storm: Storm | undefined
    const shopFails = () => storm?.isNow(0.1) ?? false
    storm = new Storm(seed, await StoppableWorkerd.start({ seed, shopFails }))
    return storm
  }

  private constructor(seed: number, workerd: StoppableWorkerd) {
    this.random = createRandom(seed)
    this.workerd = workerd
    this.emulator = workerd.emulator
    for (const [fault, probability] of FAULTS) this.emulator.faults.rate(fault, probability)
  }

  /** Whether what has this probability happens now. */
  private isNow(probability: number): boolean {
    return !this.isCalm && this.random() < probability
  }

  /** Ends every fault, failure and kill. */
  calm(): void {
    this.isCalm = true
    this.emulator.faults.clear()
  }

  /** Whether `onEvent` returned for an operation and its status. */
  wasHandled(operation: string): boolean {
    return this.workerd.reported.has(operation)
  }

  /** Lets `work` happen in a process that may be killed in the middle of it, while the time moves on. */
  async round(work: () => Promise<unknown>, ms: number): Promise<void> {
    const { workerd } = this
    const unlessStopped = (error: unknown): void => {
      if (!workerd.wasStopped) throw error
    }
    const stop = this.isNow(0.5) ? 1 + Math.floor(this.random() * 150) : undefined
    // Work of earlier requests may be stopped before the first one of this round, and after the last one.
    await workerd.countSteps(stop).catch(unlessStopped)
    const moved = workerd.advance(ms).catch(unlessStopped)
    await Promise.all([work(), moved])
    if (!workerd.wasStopped) await workerd.countSteps().catch(unlessStopped)
    if (workerd.wasStopped) {
      this.kills++
      await workerd.restart()
    }
    // No request takes minutes inside the service, which the worker assumes too: the clock waits for it.
    await workerd.idle()
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  api(path: string, init?: RequestInit): Promise<{ status: number; body: Record<string, unknown> }> {
    return this.workerd.api(path, init)
  }

  get(url: string): Promise<Response> {
    return this.workerd.fetch(new URL(url, ORIGIN).href)
  }

  link(fields: { order_id: string; method: 'purchase' | 'auth' }): Promise<string> {
    const order = { ...ORDER, ...fields } as CheckoutOrder
    return createCheckoutLink({ origin: ORIGIN, linkSecret: LINK_SECRET, order, now: () => this.workerd.now() })
  }

  /** Pays whatever the order's link leads to. */
  async pay(url: string, card: TestCardName): Promise<void> {
    await payAt(this.emulator, url, card)
  }

  end(): Promise<void> {
    return this.workerd.end()
  }
}
