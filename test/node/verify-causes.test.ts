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
const bytesOf = (text: string) => Buffer.from(text, 'base64url')
const padded = (bytes: Buffer) => bytes.toString('base64').replace(/\+/g, '-').replace(/\//g, '_')

interface Spoiled {
  body: string
  secret: string
}

/** Every way to spoil a valid body; undefined where this body is not harmed by it. */
const WAYS: Record<string, { cause: Cause; spoil(valid: Valid): Spoiled | undefined }> = {
  'another secret': { cause: 'wrong_secret', spoil: (one) => ({ body: form(one), secret: `${one.secret}x` }) },
  'a line break after the secret': {
    cause: 'secret_white_space',
    spoil: (one) => ({ body: form(one), secret: `${one.secret}\n` }),
  },
  'quotes around the secret': {
    cause: 'secret_quotes',
    spoil: (one) => ({ body: form(one), secret: `"${one.secret}"` }),
  },
  'the standard alphabet, escaped': {
    cause: 'standard_base64',
    spoil: (one) => changed(one, { data: toStandard(one.data), signature: toStandard(one.signature) }),
  },
  'a signature in the standard alphabet': {
    cause: 'standard_base64',
    spoil: (one) => changed(one, { data: one.data, signature: toStandard(one.signature) }),
  },
  'the standard alphabet, not escaped': {
    cause: 'plus_became_space',
    spoil: (one) => {
      const body = `data=${toStandard(one.data)}&signature=${toStandard(one.signature)}`
      return body.includes('+') ? { body, secret: one.secret } : undefined
    },
  },
  'JSON written again': {
    cause: 'reencoded',
    spoil: (one) => changed(one, { ...one, data: padded(Buffer.from(JSON.stringify(JSON.parse(one.json)))) }),
  },
  'JSON written again, indented': {
    cause: 'reencoded',
    spoil: (one) => changed(one, { ...one, data: padded(Buffer.from(JSON.stringify(JSON.parse(one.json), null, 2))) }),
  },
  'data decoded': { cause: 'reencoded', spoil: (one) => changed(one, { ...one, data: one.json }) },
  'data encoded twice': {
    cause: 'reencoded',
    spoil: (one) => changed(one, { ...one, data: padded(Buffer.from(one.data)) }),
  },
  'fields escaped twice': {
    cause: 'encoded_twice',
    spoil: (one) => changed(one, { data: encodeURIComponent(one.data), signature: encodeURIComponent(one.signature) }),
  },
  'fields swapped': {
    cause: 'swapped_fields',
    spoil: (one) => changed(one, { data: one.signature, signature: one.data }),
  },
  'padding of the signature lost': {
    cause: 'lost_padding',
    spoil: (one) => changed(one, { ...one, signature: one.signature.slice(0, -1) }),
  },
  'all padding lost': {
    cause: 'lost_padding',
    spoil: (one) => changed(one, { data: one.data.replace(/=+$/, ''), signature: one.signature.slice(0, -1) }),
  },
  'lines of 76 letters': {
    cause: 'white_space',
    spoil: (one) => changed(one, { ...one, data: one.data.replace(/.{76}/g, '$&\r\n') }),
  },
  'a hexadecimal signature': {
    cause: 'hexadecimal',
    spoil: (one) => changed(one, { ...one, signature: bytesOf(one.signature).toString('hex') }),
  },
  'data cut off': {
    cause: 'damaged_data',
    spoil: (one) => changed(one, { ...one, data: padded(Buffer.from(one.json.slice(0, -1))) }),
  },
  'a signature cut off': {
    cause: 'signature_length',
    spoil: (one) => changed(one, { ...one, signature: one.signature.slice(0, 20) }),
  },
  'no signature': { cause: 'missing_field', spoil: (one) => ({ body: `data=${one.data}`, secret: one.secret }) },
  'two signatures': {
    cause: 'duplicate_field',
    spoil: (one) => ({ body: `${form(one)}&signature=x`, secret: one.secret }),
  },
  'JSON in place of a form': {
    cause: 'not_a_form',
    spoil: ({ data, signature, ...one }) => ({ body: JSON.stringify({ data, signature }), secret: one.secret }),
  },
}

function changed(one: Valid, to: { data: string; signature: string }): Spoiled | undefined {
  return to.data === one.data && to.signature === one.signature ? undefined : { body: form(to), secret: one.secret }
}

/** Two things at once, the later one first: both are named. */
const PAIRS = [
  ['padding of the signature lost', 'a line break after the secret'],
  ['fields swapped', 'all padding lost'],
  ['all padding lost', 'a signature in the standard alphabet'],
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

  it.each(Object.entries(WAYS))('%s', async (_, { cause, spoil }) => {
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
    await check(
      fc.property(valid, (one) => {
        const before = WAYS[second]?.spoil(one)
        if (!before) return
        const fields = Object.fromEntries(new URLSearchParams(before.body)) as { data: string; signature: string }
        const after = WAYS[first]?.spoil({ ...one, ...fields, secret: before.secret })
        if (!after) return
        const verdict = verifyBody(after.body, [{ name: NAME, value: after.secret }])
        const causes = [WAYS[first]?.cause, WAYS[second]?.cause]
        expect(verdict).toMatchObject({ valid: false, proven: true, causes: expect.arrayContaining(causes) })
      }),
      RUNS / 20,
    )
  })
})

describe('what matches is genuine whatever its shape', () => {
  const verdictOf = (text: string) => verifyBody(form(signWebhook(text, 'secret')), [{ name: NAME, value: 'secret' }])

  it.each([
    ['text', 'hello', { unreadable: 'not_json' }],
    ['a list', '[]', { unreadable: 'not_json' }],
    ['an empty object', '{}', { event: { kind: 'unexpected' } }],
    ['an unknown method', '{"method":"loyalty"}', { event: { kind: 'unknown' } }],
  ])('%s', (_, text, expected) => {
    expect(verdictOf(text)).toMatchObject({ valid: true, ...expected })
  })

  it('data that is not Base64Url', () => {
    const signature = signWebhook('{}', 'secret')
    expect(signature.data).not.toBe('')
    expect(verifyForm({ data: '!', signature: signedText('!') }, [{ name: NAME, value: 'secret' }])).toMatchObject({
      valid: true,
      unreadable: 'not_base64url',
    })
  })

  it('the previous secret, which is named', () => {
    const { data, signature } = signWebhook('{}', 'old')
    const secrets = [
      { name: NAME, value: 'new' },
      { name: 'EDGETILL_API_SECRET_PREVIOUS', value: 'old' },
    ]
    expect(verifyForm({ data, signature }, secrets)).toMatchObject({
      valid: true,
      secret: 'EDGETILL_API_SECRET_PREVIOUS',
    })
  })

  it('a secret that has white space around it on both sides of the way', () => {
    const data = signWebhook('{}', 'x').data
    const value = 'secret\n'
    expect(verifyForm({ data, signature: signedText(data, value) }, [{ name: NAME, value }])).toMatchObject({
      valid: true,
    })
  })
})

/** The signature of any text, made without the SDK. */
function signedText(data: string, key = 'secret'): string {
  return padded(
    createHash('sha1')
      .update(key + data + key)
      .digest(),
  )
}
