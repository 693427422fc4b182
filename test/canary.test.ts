import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ClientConfig, createClient } from '../src/index.ts'
import { signWebhook, verifyWebhook } from '../src/webhooks/index.ts'
import { CARD, HOSTED } from './support/inputs.ts'
import { inspect } from './support/inspect.ts'
import { CONFIG, json, redirect, rejection, type Sent, silence, wire } from './support/mock-fetch.ts'
import { OPERATION_CASES } from './support/operations.ts'

// Joined, because Bun shows the source lines around an error: a canary must not stand in this file as it is searched for.
const join = (...parts: string[]) => parts.join('')
const CANARIES = {
  apiKey: join('key', '-canary-', 'k3y'),
  apiSecret: join('secret', '-canary-', 's3cr3t'),
  endpointsKey: join('endpoints', '-canary-', '3nd'),
  pan: join('55555', '5555555', '4444'),
  cvv: join('0', '397'),
  token: join('rcr:', 'token-canary', '-t0k3n'),
  cryptogram: join('crypto', '-canary-', 'gr4m'),
}
const { pan, cvv, token, cryptogram, ...SECRETS } = CANARIES
const { apiKey, apiSecret } = SECRETS

let seen: string[]
const remember = (...values: unknown[]) => {
  for (const value of values) seen.push(inspect(value, true), safeJson(value), String(value))
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** Everything of an error that a log, a report or a careless template could show. */
function rememberError(error: unknown): void {
  for (let one = error; one !== undefined && one !== null; one = (one as { cause?: unknown }).cause) {
    const { message, stack } = one as Error
    remember(one, message, stack, { ...(one as object) }, Object.entries(one as object), { wrapped: [one] })
  }
}

beforeEach(() => {
  seen = []
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    vi.spyOn(console, method).mockImplementation((...args: unknown[]) => remember(...args))
  }
})
afterEach(() => vi.restoreAllMocks())

function expectNoCanary(): void {
  expect(seen.length).toBeGreaterThan(0)
  // A call's id is random: four of its digits may be those of a cvv.
  const all = seen.join('\n').replace(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, '')
  const found = Object.entries(CANARIES).filter(([, canary]) => all.includes(canary))
  expect(found.map(([name]) => name)).toEqual([])
  // Of the card number, at most the first six and the last four digits, in whatever grouping.
  const digits = all.replace(/[\s\u00a0.-]|\\u00a0/g, '')
  for (let i = 0; i + 7 <= pan.length; i++) expect(digits.includes(pan.slice(i, i + 7))).toBe(false)
}

const HOOKS: Partial<ClientConfig> = Object.fromEntries(
  ['onRequest', 'onResponse', 'onRetry', 'onWarning', 'onError'].map((hook) => [
    hook,
    (info: object) => remember(info),
  ]),
)
const SERVER = { order_id: 'x'.repeat(40), server_url: 'https://shop.example.com:9000/hook' }
const CARD_DATA = { ...CARD, ...SERVER, cc_number: pan, card_cvv: cvv, cryptogram: { data: [cryptogram] } }

/** The card number in every grouping that a person or a log may write. */
const GROUPED = [' ', '\u00a0', '-', '.'].flatMap((separator) =>
  [/(?=(?:.{4})+$)/g, /(?=(?:.{1})+$)/g, /(?<=^.{6})|(?=.{4}$)/g, /(?<=^.{7})/g].map((place) =>
    pan.replace(place, separator),
  ),
)

/** A service that repeats all that it was told, credentials included, in every place that an error reads. */
function echo({ headers, body = '{}' }: Sent) {
  const text = `${Object.values(headers).join(' ')} ${body} ${body.includes(pan) ? GROUPED.join(', ') : ''}`
  const { cc_number, card_cvv } = JSON.parse(body || '{}') as Record<string, unknown>
  const args = { code: text, msg: [text], field_name: text, violation: text }
  return { text, record: { message: text, args, payment_id: 5, cc_number, card_cvv } }
}

type Reply = (sent: Sent) => Response | Promise<Response>
const LOST = { code: 'ECONNRESET' }
const FAILURES: [name: string, reply: Reply][] = [
  ['400 that echoes', (sent) => json(echo(sent).record, 400)],
  ['400 with lists that echo', (sent) => json({ args: [echo(sent).record.args, { msg: [echo(sent).text] }] }, 400)],
  ['401 as a text that echoes', (sent) => new Response(echo(sent).text, { status: 401 })],
  ['429 that echoes', (sent) => json(echo(sent).record, 429, { 'x-request-id': 'r-1' })],
  ['500 that echoes', (sent) => json(echo(sent).record, 500)],
  ['200 as a text that echoes', (sent) => new Response(echo(sent).text)],
  ['200 of another shape that echoes', (sent) => json([[echo(sent).record, echo(sent).text]])],
  ['a redirect that echoes', (sent) => redirect(`ftp://x.example/?${encodeURIComponent(echo(sent).text)}`, 307)],
  ['a network failure that echoes', (sent) => Promise.reject(new TypeError(echo(sent).text, { cause: LOST }))],
  ['a refused connection', () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))],
  ['silence', silence],
]

describe.each(OPERATION_CASES)('%s', (name, { call }) => {
  it.each(FAILURES)('after %s shows no secret', async (failure, reply) => {
    const play = async (authentication: 'per-endpoint' | 'plain', timeoutMs: number) => {
      const { fetch, sent } = wire(reply, reply, reply)
      const client = createClient({
        ...CONFIG,
        ...SECRETS,
        ...HOOKS,
        authentication,
        fetch,
        timeoutMs,
        random: () => 0,
      })
      remember(client)
      await call(client, CANARIES).then(
        // To request() any JSON is a response, and so is any list to listOrderOperations(): the caller's own.
        () => {
          expect(failure).toBe('200 of another shape that echoes')
          expect(name).toMatch(/^(rawRequest|listOrderOperations)/)
        },
        (error: unknown) => rememberError(error),
      )
      return sent
    }
    for (const authentication of ['per-endpoint', 'plain'] as const) {
      let sent = await play(authentication, reply === silence ? 20 : 5_000)
      // A busy machine may send nothing within so short a time.
      if (sent.length === 0) sent = await play(authentication, 5_000)
      // The canaries did travel: otherwise the search would prove nothing.
      expect(JSON.stringify(sent[0]?.headers)).toContain(apiKey)
    }
    expectNoCanary()
  })
})

describe('shows no secret', () => {
  const recurring = { interval_unit: apiSecret, interval_count: pan }
  const misplaced = { exp_month: pan, exp_year: cvv, browser_fingerprint: pan, amount: pan }
  it.each<[string, object]>([
    ['a number instead of a text', { ...CARD_DATA, cc_number: Number(pan), card_cvv: Number(cvv) }],
    ['a card number with a wrong digit, and spaces', { ...CARD_DATA, cc_number: `${pan} ` }],
    ['card data in wrong places', { ...CARD_DATA, ...misplaced }],
    ['card data under a wrong name', { ...HOSTED, cc_number: pan, cardNumber: pan, cc_token: [token], cvv }],
    ['a subscription made of secrets', { ...HOSTED, init_recurring: recurring }],
  ])('an input that is rejected: %s', async (_name, input) => {
    const client = createClient({ ...CONFIG, ...SECRETS, ...HOOKS, fetch: wire().fetch })
    rememberError(await rejection(client.createPayment(input as never)))
    expectNoCanary()
  })

  const thrownBy = (run: () => unknown) => rejection(Promise.resolve().then(run))

  it('a configuration with broken credentials', async () => {
    for (const [name, value] of Object.entries(SECRETS)) {
      for (const broken of [`${value}\n`, `${value}ї`, `${name}:${value} `]) {
        rememberError(await thrownBy(() => createClient({ ...CONFIG, ...SECRETS, [name]: broken })))
      }
    }
    expectNoCanary()
  })

  it('a webhook that is rejected: neither the secret nor its contents', async () => {
    const webhook = signWebhook({ method: 'purchase', cc_token: token, note: pan }, apiSecret)
    const { signature } = signWebhook('x', apiSecret)
    for (const form of [
      { ...webhook, signature: `${webhook.signature.slice(0, -2)}x=` },
      { ...webhook, signature: apiSecret },
      { ...webhook, data: token },
      { data: btoa(`no json ${pan} ${token}`), signature },
    ]) {
      rememberError(await thrownBy(() => verifyWebhook(form, [apiSecret, 'other'])))
    }
    rememberError(await thrownBy(() => verifyWebhook(webhook, ` ${apiSecret}`)))
    // Nor the signature that was expected.
    expect(seen.join()).not.toContain(webhook.signature)
    expectNoCanary()
  })
})

it('the search itself finds what is there', () => {
  remember({ deep: { inside: [new Error(`x ${pan} y`)] } })
  expect(expectNoCanary).toThrow(/pan/)
})
