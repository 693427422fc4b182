import { describe, expect, it, vi } from 'vitest'
import { ConfigError } from '../../src/index.ts'
import {
  readWebhook,
  readWebhookForm,
  signData,
  signWebhook,
  verifyWebhook,
  type WebhookForm,
} from '../../src/webhooks/index.ts'
import webhooks from '../corpus/webhooks.json' with { type: 'json' }
import { rejection } from '../support/mock-fetch.ts'
import { EVENT, FORM, PAYLOAD, post, SECRET, signed } from './signed.ts'

const failure = (form: unknown) => rejection((async () => verifyWebhook(form as WebhookForm, SECRET))())

/** A form whose `data` is whatever text is given, signed rightly. */
const signedText = (data: string): WebhookForm => ({ data, signature: signData(data, SECRET) })

describe('verifyWebhook rejects, and says why', () => {
  const { data, signature } = signed
  it.each<[string, string, unknown]>([
    ['missing_field', 'empty data', { data: '', signature }],
    ['missing_field', 'no signature', { data }],
    ['missing_field', 'a signature that is not a string', { data, signature: 28 }],
    ['missing_field', 'an empty form', {}],
    ['duplicate_field', 'two data of a parsed form', { data: [data, data], signature }],
    ['signature_length', 'a signature without its padding', { data, signature: signature.slice(0, 27) }],
    ['signature_length', 'a hexadecimal signature', { data, signature: 'a'.repeat(40) }],
    ['signature_length', 'a signature of one letter more', { data, signature: `${signature}=` }],
    ['signature_alphabet', 'a signature in standard Base64', { data, signature: `+/${signature.slice(2)}` }],
    ['signature_alphabet', 'a signature with a foreign character', { data, signature: `!${signature.slice(1)}` }],
    ['plus_became_space', 'a space in the signature', { data, signature: ` ${signature.slice(1)}` }],
    ['plus_became_space', 'a space in the data', { data: `${data.slice(0, 8)} ${data.slice(9)}`, signature }],
    ['signature_mismatch', 'other data', { data: signWebhook({ ...PAYLOAD, amount: 1 }, SECRET).data, signature }],
    ['signature_mismatch', 'the signature of another secret', { data, signature: signData(data, 'other') }],
    ['signature_mismatch', 'data that is no Base64: nothing is parsed first', { data: '{"a":1}', signature }],
    ['signature_mismatch', 'data with its padding cut off', { data: data.replace(/=+$/, ''), signature }],
  ])('%s: %s', async (reason, _name, form) => {
    const expected = { name: 'WebhookVerificationError', code: 'webhook_verification', reason }
    expect(await failure(form)).toMatchObject({ ...expected, verified: false, data: undefined })
  })

  it.each<[string, unknown, RegExp]>([
    ['a form after express.json()', {}, /no "data", nor any other field: a parser of another type may have read it\.$/],
    ['an empty URLSearchParams', new URLSearchParams(), /nor any other field/],
    ['a form without data', { signature }, /its form has no "data"\.$/],
    ['an object as data', { data: { method: 'x' }, signature }, /its "data" is not a text \(received: object\)/],
    ['bytes as a signature', { data, signature: new Uint8Array(2) }, /its "signature" is not a text/],
  ])('names %s', async (_name, form, says) => {
    expect((await failure(form)).message).toMatch(says)
  })

  it('never shows the secret or the signature it expected', async () => {
    const expected = signWebhook({ ...PAYLOAD, amount: 1 }, SECRET)
    const error = await failure({ data: expected.data, signature })
    expect(error.reason).toBe('signature_mismatch')
    for (const text of [error.message, String(error.stack), JSON.stringify(error)]) {
      expect(text).not.toContain(SECRET)
      expect(text).not.toContain(expected.signature)
    }
  })
})

it.each(webhooks.unreadable as [string, string, string][])(
  'verifyWebhook keeps what is genuine and cannot be read: %s, %s',
  async (reason, _name, data) => {
    const error = await failure(signedText(data))
    expect(error).toMatchObject({ code: 'webhook_verification', reason, verified: true, data })
    expect(Object.keys(error)).not.toContain('data')
    expect(JSON.stringify(error)).not.toContain(data)
    expect(error.message).toMatch(/is not (Base64Url|UTF-8|a JSON object): keep/)
  },
)

describe('readWebhook', () => {
  it('accepts a charset, other capitals and unknown fields', async () => {
    const request = post(`extra=1&${signed.body}`, 'Application/X-WWW-Form-Urlencoded; charset=UTF-8')
    expect(await readWebhook(request, SECRET)).toEqual(EVENT)
  })

  it.each([
    [null, 'missing'],
    ['application/x-www-form-urlencodedx', '"application/x-www-form-urlencodedx"'],
    ['application/json; charset=utf-8', '"application/json; charset=utf-8"'],
    ['x'.repeat(101), `"${'x'.repeat(100)}"`],
  ])('a content type that is not a form’s is named, up to 100 characters: %s', async (type, shown) => {
    const error = await rejection(readWebhook(post(new Uint8Array(2), type), SECRET))
    const message = expect.stringContaining(shown)
    expect(error).toMatchObject({ code: 'webhook_verification', reason: 'content_type', message, verified: false })
  })

  it('too_large: at the limit it is read, one byte beyond it is not', async () => {
    const { length } = new TextEncoder().encode(signed.body)
    expect(await readWebhook(post(signed.body), SECRET, { maxBytes: length })).toEqual(EVENT)
    for (const maxBytes of [length - 1, 1]) {
      const error = await rejection(readWebhook(post(signed.body), SECRET, { maxBytes }))
      expect(error).toMatchObject({ code: 'webhook_verification', reason: 'too_large' })
    }
  })

  it('too_large: a stream without end is read up to 8 MB, so that the sender sees the response, and then abandoned', async () => {
    let pulled = 0
    const cancel = vi.fn()
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024).fill(pulled++ % 2)),
      cancel,
    })
    const request = { headers: new Headers({ 'content-type': FORM }), body }
    await expect(readWebhook(request, SECRET, { maxBytes: 4096 })).rejects.toMatchObject({ reason: 'too_large' })
    expect(cancel).toHaveBeenCalled()
    // A chunk has 1 KiB, and the stream keeps one ahead.
    expect([0, 1, 2].map((ahead) => 8 * 1024 + ahead)).toContain(pulled)
  })

  it('rejects an invalid limit', async () => {
    for (const maxBytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(readWebhook(post(signed.body), SECRET, { maxBytes })).rejects.toThrow(ConfigError)
    }
  })

  it('rejects an option that it does not know, before the body is read', async () => {
    const message = 'maxByte is not an option; the options are maxBytes.'
    for (const read of [
      readWebhook,
      (request: Request, _: string, options: object) => readWebhookForm(request, options),
    ]) {
      const request = post(signed.body)
      const expected = { code: 'config', field: 'maxByte', message }
      await expect(read(request, SECRET, { maxByte: 3 } as object)).rejects.toMatchObject(expected)
      expect(request.bodyUsed).toBe(false)
    }
  })
})

it.each(['=', '==', '===', ''])('what is genuine is read with the padding "%s", in either alphabet', (padding) => {
  const json = JSON.stringify({ method: 'loyalty', order_id: 'A-1', text: '>>>???ÿ' })
  const data = signWebhook(json, SECRET).data.replace(/=+$/, '')
  for (const text of [data, data.replaceAll('-', '+').replaceAll('_', '/')]) {
    expect(verifyWebhook(signedText(text + padding), SECRET).record).toEqual(JSON.parse(json))
  }
})

describe('a mistake of the receiver, or of the sender', () => {
  it('forgotten secrets are noticed before the body is consumed', async () => {
    const request = post(signed.body)
    await expect(readWebhook(request, undefined as never)).rejects.toMatchObject({ code: 'config', field: 'secrets' })
    expect(await readWebhook(request, SECRET)).toEqual(EVENT)
  })

  it('each secret is tried, and one that is unset is skipped', () => {
    for (const secrets of [
      [SECRET, undefined, 'other'],
      ['other', undefined, SECRET],
    ])
      expect(verifyWebhook(signed, secrets)).toEqual(EVENT)
    for (const secrets of [[undefined], [], [SECRET, ''], [SECRET, null], undefined, null, 5]) {
      const error = expect.objectContaining({ code: 'config', field: 'secrets' })
      expect(() => verifyWebhook(signed, secrets as string[])).toThrow(error)
    }
  })
})

it('readWebhookForm gives the two fields as they came, unverified', async () => {
  expect(await readWebhookForm(post('data=abc%3D&signature=x%20y'))).toEqual({ data: 'abc=', signature: 'x y' })
})

it('raw card data that no webhook documents is cut from the event, however its name is written', () => {
  for (const name of ['cc_number', '\\u0063ard_cvv']) {
    const form = signWebhook(`{"method":"loyalty","card":{"${name}":"4242"}}`, 's')
    expect(verifyWebhook(form, 's').record).toEqual({ method: 'loyalty', card: {} })
  }
})
