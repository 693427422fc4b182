// Random inputs, responses and webhooks, and a hash of what becomes of each. The same seed gives the same cases everywhere.
import { type Client, createClient, signWebhook, verifyWebhook } from '../../../src/index.ts'
import { createRandom } from '../../../src/prove/random.ts'
import { CARD, HOSTED, PAYMENT_RECORD } from '../../support/inputs.ts'
import { CONFIG } from '../../support/mock-fetch.ts'
import { OPERATION_CASES } from '../../support/operations.ts'

export interface Cases {
  seed: number
  count: number
}

/** One hash for each case: of an input, a response and a webhook in turn. */
export async function main({ seed, count }: Cases): Promise<number[]> {
  const hashes: number[] = []
  for (let index = 0; index < count; index++) hashes.push(hash(await verdict(seed, index)))
  return hashes
}

/** What becomes of one case, as text. */
export async function verdict(seed: number, index: number): Promise<string> {
  const random = new Random(seed + index * 7919)
  try {
    const value = await [ofInput, ofResponse, ofWebhook][index % 3]?.(random)
    return JSON.stringify(value) ?? 'undefined'
  } catch (error) {
    const fields = 'name code reason status issues message apiCode violations verified body'.split(' ')
    return JSON.stringify(fields.map((field) => (error as Record<string, unknown>)[field]))
  }
}

async function ofInput(random: Random): Promise<unknown> {
  let sent: string | undefined
  const fetch = async (_: unknown, init: RequestInit = {}) => {
    sent = await (init.body as Blob).text()
    return new Response(null, { status: 303, headers: { location: '/api/v1/checkout/c/form' } })
  }
  const onWarning = () => {}
  const client = createClient({ ...CONFIG, fetch, onWarning })
  const call = client.createPayment(random.spoil(random.pick([HOSTED, CARD]), 3) as never)
  return [await call.catch(({ code, issues, message }) => [code, issues, message]), sent]
}

async function ofResponse(random: Random): Promise<unknown> {
  const status = random.pick([...[200, 200, 200, 201, 204, 301, 302, 303, 303, 400, 401], ...STATUSES])
  const body = [204, 301, 302, 303].includes(status) ? null : random.body()
  const headers: Record<string, string> = {}
  if (status >= 300 && status < 400) headers.location = random.pick(LOCATIONS)
  if (random.below(3) === 0) headers['x-request-id'] = random.text()
  const reply = async () => new Response(body, { status, headers })
  const client: Client = createClient({ ...CONFIG, fetch: reply, maxRetries: 0, onWarning: () => {} })
  const [, operation] = random.pick(OPERATION_CASES)
  return await operation.call(client)
}

function ofWebhook(random: Random): unknown {
  const secret = 'secret'
  const webhook = signWebhook(random.spoil({ ...PAYMENT_RECORD, method: random.pick(METHODS) }, 4), secret)
  const { data, signature } = webhook
  const cut = random.below(data.length)
  const form = random.pick([
    ...Array(3).fill(webhook),
    { data: data.slice(0, cut), signature },
    { data, signature: signature.slice(0, -1) },
    { data, signature: signature.replace(/[-_A-Z]/, ' ') },
    { data: data.replaceAll('=', ''), signature },
  ])
  const event = verifyWebhook(form, secret) as object
  return [event, (event as { issues?: unknown }).issues, (event as { record?: unknown }).record]
}

const STATUSES = [404, 408, 409, 429, 460, 499, 500, 503]
const METHODS = [...'purchase auth credit p2p lookup capture void auth_increment refund loyalty'.split(' '), '']
const LOCATIONS = [
  '/api/v1/checkout/c/form',
  'https://pay.example.com/form',
  'https://login.example/sso?next=%2F',
  'http://pay.example.com/api/v1/checkout/c/form',
  'https://white.example/api/v1/checkout/c/form',
  '//other.example/x',
  'ftp://x.example/',
  'https://[bad',
  'javascript:alert(1)',
]
const TEXTS = [
  ...['x', ' ', 'ї', '😀', '\u0000', '2026-01-01T10:00:00', 'https://shop.example.com', 'http://[bad', '10'],
  ...['4242 4242 4242 4242', CONFIG.apiSecret, '..', 'x'.repeat(300)],
]
const VALUES = [undefined, null, true, 0, -0, 1, -1, 0.1, 10.999, 1e21, 2 ** 46, '', [], {}, [1], { a: 1 }, [{}]]

/** What a seeded generator makes. */
class Random {
  readonly #random: ReturnType<typeof createRandom>

  constructor(seed: number) {
    this.#random = createRandom(seed)
  }

  below(limit: number): number {
    return this.#random.below(limit)
  }

  pick<T>(values: readonly T[]): T {
    return this.#random.pick(values)
  }

  text(): string {
    return this.pick(TEXTS.filter((text) => /^[ -~]+$/.test(text)))
  }

  value(): unknown {
    return this.below(2) === 0 ? this.pick(TEXTS) : this.pick(VALUES)
  }

  /** A copy with up to `most` fields changed, left out or added. */
  spoil(object: object, most: number): Record<string, unknown> {
    const copy: Record<string, unknown> = { ...object }
    for (let changes = this.below(most + 1); changes > 0; changes--) {
      const key =
        this.below(8) === 0 ? this.pick(['brand_new', 'cc_number', 'constructor']) : this.pick(Object.keys(object))
      if (this.below(4) === 0) delete copy[key]
      else copy[key] = this.value()
    }
    return copy
  }

  body(): string {
    const record = this.spoil(PAYMENT_RECORD, 3)
    const error = { message: 'No', args: { code: 'S-404' } }
    const body = this.pick([record, [record], [record, record], { accounts: [record] }, error, this.value()])
    const whole = JSON.stringify(body) ?? ''
    // Half a character would be written in another way by each runtime.
    return this.below(6) === 0 ? whole.slice(0, this.below(whole.length + 1)).replace(/[\ud800-\udbff]$/, '') : whole
  }
}

/** FNV-1a of the UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
