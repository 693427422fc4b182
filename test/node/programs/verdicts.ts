// Random inputs, responses and webhooks, and what becomes of each. The same seed gives the same cases everywhere.
import { createClient } from '../../../src/index.ts'
import { createRandom, type Random } from '../../../src/testing/random.ts'
import { signWebhook, verifyWebhook } from '../../../src/webhooks/index.ts'
import { CARD, HOSTED, PAYMENT_RECORD } from '../../support/inputs.ts'
import { CONFIG } from '../../support/mock-fetch.ts'
import { OPERATION_CASES } from '../../support/operations.ts'

/** A text for each case: of an input, a response and a webhook in turn. */
export async function main({ seed, count }: { seed: number; count: number }): Promise<string[]> {
  const verdicts: string[] = []
  for (let index = 0; index < count; index++) verdicts.push(await verdict(seed, index))
  return verdicts
}

async function verdict(seed: number, index: number): Promise<string> {
  const random = createRandom(seed + index * 7919)
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
  const client = createClient({ ...CONFIG, fetch, onWarning() {} })
  const call = client.createPayment(spoiled(random, random.pick([HOSTED, CARD]), 3) as never)
  return [await call.catch(({ code, issues, message }) => [code, issues, message]), sent]
}

async function ofResponse(random: Random): Promise<unknown> {
  const status = random.pick(STATUSES)
  const hasBody = ![204, 301, 302, 303].includes(status)
  const headers = {
    ...(status >= 300 && status < 400 && { location: random.pick(LOCATIONS) }),
    ...(random.chance(1 / 3) && { 'x-request-id': random.pick(TEXTS.filter((text) => /^[ -~]+$/.test(text))) }),
  }
  const body = hasBody ? bodyOf(random) : null
  const fetch = async () => new Response(body, { status, headers })
  const [, operation] = random.pick(OPERATION_CASES)
  return await operation.call(createClient({ ...CONFIG, fetch, maxRetries: 0, onWarning() {} }))
}

function ofWebhook(random: Random): unknown {
  const webhook = signWebhook(spoiled(random, { ...PAYMENT_RECORD, method: random.pick(METHODS) }, 4), 'secret')
  const { data, signature } = webhook
  const form = random.pick([
    ...Array(3).fill(webhook),
    { data: data.slice(0, random.below(data.length)), signature },
    { data, signature: signature.slice(0, -1) },
    { data, signature: signature.replace(/[-_A-Z]/, ' ') },
    { data: data.replaceAll('=', ''), signature },
  ])
  const { issues, record, ...event } = verifyWebhook(form, 'secret')
  return [event, issues, record]
}

const STATUSES = [200, 200, 200, 201, 204, 301, 302, 303, 303, 400, 401, 404, 408, 409, 429, 460, 499, 500, 503]
const METHODS = [...'purchase auth credit p2p lookup capture void auth_increment refund loyalty'.split(' '), '']
const LOCATIONS = [
  ...[
    '/api/v1/checkout/c/form',
    'https://pay.example.com/form',
    'https://login.example/sso?next=%2F',
    '//other.example/x',
  ],
  ...['http://pay.example.com/api/v1/checkout/c/form', 'https://white.example/api/v1/checkout/c/form'],
  ...['ftp://x.example/', 'https://[bad', 'javascript:alert(1)'],
]
const TEXTS = [
  ...['x', ' ', 'ї', '😀', '\u0000', '2026-01-01T10:00:00', 'https://shop.example.com', 'http://[bad', '10'],
  ...['4242 4242 4242 4242', CONFIG.apiSecret, '..', 'x'.repeat(300)],
]
const VALUES = [undefined, null, true, 0, -0, 1, -1, 0.1, 10.999, 1e21, 2 ** 46, '', [], {}, [1], { a: 1 }, [{}]]

const anything = (random: Random): unknown => random.pick<unknown>(random.chance(0.5) ? TEXTS : VALUES)

/** A copy with up to `most` fields changed, left out or added. */
function spoiled(random: Random, object: object, most: number): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...object }
  for (let changes = random.below(most + 1); changes > 0; changes--) {
    const key = random.pick(random.below(8) === 0 ? ['brand_new', 'cc_number', 'constructor'] : Object.keys(object))
    if (random.below(4) === 0) delete copy[key]
    else copy[key] = anything(random)
  }
  return copy
}

function bodyOf(random: Random): string {
  const record = spoiled(random, PAYMENT_RECORD, 3)
  const error = { message: 'No', args: { code: 'S-404' } }
  const body = random.pick<unknown>([
    record,
    [record],
    [record, record],
    { accounts: [record] },
    error,
    anything(random),
  ])
  const whole = JSON.stringify(body) ?? ''
  // Half a character would be written in another way by each runtime.
  return random.below(6) === 0 ? whole.slice(0, random.below(whole.length + 1)).replace(/[\ud800-\udbff]$/, '') : whole
}
