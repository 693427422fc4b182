import { type CheckoutOrder, createCheckoutLink } from '../../../src/checkout-link/index.ts'
import type { Emulator, Fault, TestCardName } from '../../../src/emulator/index.ts'
import { createRandom } from './random.ts'
import { ADMIN_TOKEN, LINK_SECRET, ORDER, ORIGIN, payAt } from './world.ts'

const SECOND = 1000
/** A request that the emulator leaves without a response is given up after this much real time. */
const NO_RESPONSE_MS = 500

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

/** A worker, the service with every fault, and kills, on one clock; what it runs over is another matter. */
export abstract class Storm {
  abstract readonly emulator: Emulator
  readonly random: () => number
  kills = 0
  protected isCalm = false

  constructor(seed: number) {
    this.random = createRandom(seed)
  }

  abstract now(): number

  /** A request to the worker. Rejected when the worker dies. */
  abstract request(request: Request): Promise<Response>

  /** Lets `work` happen in an isolate that may die in the middle of it, while the time moves on. */
  abstract round(work: () => Promise<unknown>, ms: number): Promise<void>

  /** Whether `onEvent` returned for an operation and its status. */
  abstract wasHandled(operation: string): boolean

  protected begin(): void {
    for (const [fault, probability] of FAULTS) this.emulator.faults.rate(fault, probability)
  }

  /** Ends every fault, failure and kill. */
  calm(): void {
    this.isCalm = true
    this.emulator.faults.clear()
  }

  /** At which of its next calls, at most the last of `calls`, the worker is killed; undefined: it is not. */
  protected nextKill(calls: number): number | undefined {
    return !this.isCalm && this.random() < 0.5 ? 1 + Math.floor(this.random() * calls) : undefined
  }

  /** Whether the shop fails an event. */
  protected shopFails(): boolean {
    return !this.isCalm && this.random() < 0.1
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  async api(path: string, init: RequestInit = {}): Promise<{ status: number; body: Record<string, unknown> }> {
    const headers = { ...init.headers, authorization: `Bearer ${ADMIN_TOKEN}` }
    const response = await this.request(new Request(`${ORIGIN}${path}`, { ...init, headers }))
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } }
  }

  get(url: string): Promise<Response> {
    return this.request(new Request(new URL(url, ORIGIN)))
  }

  link(order: { order_id: string; method: 'purchase' | 'auth' }): Promise<string> {
    const now = () => this.now()
    return createCheckoutLink({
      origin: ORIGIN,
      linkSecret: LINK_SECRET,
      order: { ...ORDER, ...order } as CheckoutOrder,
      now,
    })
  }

  /** Pays whatever the order's link leads to. */
  async pay(url: string, card: TestCardName): Promise<void> {
    await payAt(this.emulator, url, card)
  }
}

/** The service as a caller sees it that does not wait forever. */
export async function withLimit(work: () => Promise<Response>): Promise<Response> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError('The connection was closed.')), NO_RESPONSE_MS)
  })
  return Promise.race([work(), limit]).finally(() => clearTimeout(timer))
}
