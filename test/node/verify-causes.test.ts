import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cause } from '../../src/cli/webhooks/verify/causes.ts'
import { verifyBody, verifyForm } from '../../src/cli/webhooks/verify/verify.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { isLong } from '../support/environment.ts'
import { check, SEED } from '../support/property.ts'

const RUNS = isLong ? 10_000 : 1000
const NAME = 'EDGETILL_API_SECRET'

/** A signed webhook with its secret. */
interface Valid {
  secret: string
  data: string
  signature: string
  /** Its JSON as it was signed. */
  json: string
}

const secret = fc.stringMatching(/^[\w-]{8,40}$/)
const field = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.webUrl(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
)
const event = fc
  .record({
    order_id: fc.string({ unit: 'grapheme', minLength: 1 }),
    amount: fc.integer({ min: 1, max: 10 ** 9 }).map((minor) => minor / 100),
    currency: fc.constant('UAH'),
    fee: fc.option(fc.record({ amount: fc.nat(), currency: fc.constant('UAH') })),
    more: fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), field),
  })
  // A number that JSON cannot tell from another is nobody's event.
  .map((value) => JSON.parse(JSON.stringify(value)) as object)

/** How services write the JSON that they sign. */
const WRITERS: Record<string, (value: object) => string> = {
  compact: (value) => JSON.stringify(value),
  indented: (value) => JSON.stringify(value, null, 2),
  'escaped slashes': (value) => JSON.stringify(value).replaceAll('/', '\\/'),
  'ASCII alone': (value) =>
    JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${`000${unit.charCodeAt(0).toString(16)}`.slice(-4)}`),
}

const valid: fc.Arbitrary<Valid> = fc
  .tuple(event, secret, fc.constantFrom(...Object.values(WRITERS)))
  .map(([value, key, write]) => {
    const json = write(value)
    return { ...signWebhook(json, key), secret: key, json }
  })

const form = ({ data, signature }: { data: string; signature: string }) =>
  `data=${encodeURIComponent(data)}&signature=${encodeURIComponent(signature)}`
const toStandard = (text: string) => text.replace(/-/g, '+').replace(/_/g, '/')
const padded = (bytes: Buffer) => bytes.toString('base64').replace(/\+/g, '-').replace(/\//g, '_')

interface Spoiled {
  body: string
  secret: string
}
type Spoil = (valid: Valid) => Spoiled | undefined

const otherSecret =
  (name: (secret: string) => string): Spoil =>
  (one) => ({ body: form(one), secret: name(one.secret) })
const otherBody =
  (write: (one: Valid) => string): Spoil =>
  (one) => ({ body: write(one), secret: one.secret })
/** Other fields; nothing is spoiled where they are the same. */
const other =
  (change: (one: Valid) => { data?: string; signature?: string }): Spoil =>
  ({ data, signature, ...one }) => {
    const to = { data, signature, ...change({ data, signature, ...one }) }
    return to.data === data && to.signature === signature ? undefined : { body: form(to), secret: one.secret }
  }
const encoded = (write: (one: Valid) => string) => other((one) => ({ data: padded(Buffer.from(write(one))) }))

/** Every way to spoil a valid body; undefined where this body is not harmed by it. */
const WAYS: Record<string, [Cause, Spoil]> = {
  'another secret': ['wrong_secret', otherSecret((secret) => `${secret}x`)],
  'a line break after the secret': ['secret_white_space', otherSecret((secret) => `${secret}\n`)],
  'quotes around the secret': ['secret_quotes', otherSecret((secret) => `"${secret}"`)],
  'the standard alphabet, escaped': [
    'standard_base64',
    other(({ data, signature }) => ({ data: toStandard(data), signature: toStandard(signature) })),
  ],
  'the standard alphabet, not escaped': [
    'plus_became_space',
    ({ data, signature, secret }) => {
      const body = `data=${toStandard(data)}&signature=${toStandard(signature)}`
      return body.includes('+') ? { body, secret } : undefined
    },
  ],
  'JSON written again': ['reencoded', encoded(({ json }) => JSON.stringify(JSON.parse(json)))],
  'data decoded': ['reencoded', other(({ json }) => ({ data: json }))],
  'data encoded twice': ['reencoded', encoded(({ data }) => data)],
  'fields escaped twice': [
    'encoded_twice',
    other(({ data, signature }) => ({ data: encodeURIComponent(data), signature: encodeURIComponent(signature) })),
  ],
  'fields swapped': ['swapped_fields', other(({ data, signature }) => ({ data: signature, signature: data }))],
  'padding of the signature lost': ['lost_padding', other(({ signature }) => ({ signature: signature.slice(0, -1) }))],
  'all padding lost': [
    'lost_padding',
    other(({ data, signature }) => ({ data: data.replace(/=+$/, ''), signature: signature.slice(0, -1) })),
  ],
  'lines of 76 letters': ['white_space', other(({ data }) => ({ data: data.replace(/.{76}/g, '$&\r\n') }))],
  'a hexadecimal signature': [
    'hexadecimal',
    other(({ signature }) => ({ signature: Buffer.from(signature, 'base64url').toString('hex') })),
  ],
  'data cut off': ['damaged_data', encoded(({ json }) => json.slice(0, -1))],
  'a signature cut off': ['signature_length', other(({ signature }) => ({ signature: signature.slice(0, 20) }))],
  'no signature': ['missing_field', otherBody(({ data }) => `data=${data}`)],
  'two signatures': ['duplicate_field', otherBody((one) => `${form(one)}&signature=x`)],
  'JSON in place of a form': ['not_a_form', otherBody(({ data, signature }) => JSON.stringify({ data, signature }))],
}

/** Two things at once, the later one first: both are named. */
const PAIRS = [
  ['padding of the signature lost', 'a line break after the secret'],
  ['fields swapped', 'all padding lost'],
] as const

describe(`verify names what happened to a webhook (seed ${SEED})`, () => {
  it('takes every valid body, whoever wrote its JSON', async () => {
    await check(
      fc.property(valid, (one) => {
        expect(verifyBody(form(one), [{ name: NAME, value: one.secret }])).toMatchObject({ valid: true, secret: NAME })
        const { data, signature } = one
        expect(verifyForm({ data, signature }, [{ name: NAME, value: one.secret }]).valid).toBe(true)
      }),
      RUNS,
    )
  })

  it.each(Object.entries(WAYS))('%s', async (_, [cause, spoil]) => {
    let spoiled = 0
    await check(
      fc.property(valid, (one) => {
        const result = spoil(one)
        if (!result) return
        spoiled++
        const verdict = verifyBody(result.body, [{ name: NAME, value: result.secret }])
        // A sender that forgot to escape "+" uses the other alphabet, too.
        const others: Cause[] = cause === 'plus_became_space' ? ['standard_base64'] : []
        expect(verdict).toMatchObject({ valid: false })
        expect('causes' in verdict && verdict.causes.filter((one) => !others.includes(one))).toEqual([cause])
        expect(JSON.stringify(verdict)).not.toContain(one.secret)
      }),
      Math.ceil(RUNS / Object.keys(WAYS).length),
    )
    expect(spoiled).toBeGreaterThan(0)
  })

  it.each(PAIRS)('%s, and %s', async (first, second) => {
    const [cause, spoil] = WAYS[first] as [Cause, Spoil]
    const [earlier, spoilBefore] = WAYS[second] as [Cause, Spoil]
    await check(
      fc.property(valid, (one) => {
        const before = spoilBefore(one)
        if (!before) return
        const fields = Object.fromEntries(new URLSearchParams(before.body)) as { data: string; signature: string }
        const after = spoil({ ...one, ...fields, secret: before.secret })
        if (!after) return
        const verdict = verifyBody(after.body, [{ name: NAME, value: after.secret }])
        const causes = [cause, earlier]
        expect(verdict).toMatchObject({ valid: false, proven: true, causes: expect.arrayContaining(causes) })
      }),
      RUNS / 20,
    )
  })
})

describe('what matches is genuine whatever its shape', () => {
  it.each([
    ['hello', { unreadable: 'not_json' }],
    ['[]', { unreadable: 'not_json' }],
    ['{}', { event: { kind: 'unexpected' } }],
    ['{"method":"loyalty"}', { event: { kind: 'unknown' } }],
  ])('%s', (text, expected) => {
    const verdict = verifyBody(form(signWebhook(text, 'secret')), [{ name: NAME, value: 'secret' }])
    expect(verdict).toMatchObject({ valid: true, ...expected })
  })

  it.each([
    ['data that is not Base64Url', '!', 'secret', { unreadable: 'not_base64url' }],
    ['the previous secret, which is named', 'e30=', 'old', { secret: `${NAME}_PREVIOUS` }],
    ['a secret with white space around it on both sides', 'e30=', 'old\n', { secret: 'SPACED' }],
  ])('%s', (_, data, secret, expected) => {
    const names = { [NAME]: 'secret', [`${NAME}_PREVIOUS`]: 'old', SPACED: 'old\n' }
    const secrets = Object.entries(names).map(([name, value]) => ({ name, value }))
    // The signature is made without the SDK.
    const signature = padded(
      createHash('sha1')
        .update(secret + data + secret)
        .digest(),
    )
    expect(verifyForm({ data, signature }, secrets)).toMatchObject({ valid: true, ...expected })
  })
})
