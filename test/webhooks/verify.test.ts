import { describe, expect, it } from 'vitest'
import {
  ConfigError,
  isWebhookVerificationError,
  type ReadWebhookOptions,
  readWebhook,
  readWebhookForm,
  signData,
  signWebhook,
  verifyWebhook,
  type WebhookForm,
  type WebhookVerificationError,
} from '../../src/webhooks/index.ts'
import { SIGNATURES } from '../spec/vectors/webhook-signatures.ts'
import { FORM, PAYLOAD, post, SECRET, signed } from './signed.ts'

/** The event of the payload. */
const EVENT = { ...PAYLOAD, kind: PAYLOAD.method }

function failure(run: () => unknown): WebhookVerificationError {
  try {
    run()
  } catch (error) {
    if (isWebhookVerificationError(error)) return error
    throw error
  }
  throw new Error('It was accepted.')
}

async function readFailure(request: Request, options: Partial<ReadWebhookOptions> = {}) {
  const outcome: unknown = await readWebhook(request, SECRET, options).catch((error: unknown) => error)
  return failure(() => {
    throw outcome
  })
}

/** A form whose `data` is whatever text is given, signed rightly. */
const signedText = (data: string): WebhookForm => ({ data, signature: signData(data, SECRET) })

describe('verifyWebhook accepts', () => {
  it.each(SIGNATURES.filter(({ json }) => json))('a golden vector: $name', ({ secret, data, openssl, json }) => {
    const event = verifyWebhook({ data, signature: openssl }, secret)
    const received = JSON.parse(json ?? '') as Record<string, unknown>
    expect(event.record).toEqual(received)
  })

  it('a documented event, read into its type', () => {
    expect(verifyWebhook(signed, SECRET)).toEqual(EVENT)
  })

  it('bytes that are not what JSON.stringify would write: what is signed is what was sent', () => {
    const { data, signature } = signWebhook(`  {"method" : "loyalty",\n "n" : 1.0 }`, SECRET)
    expect(verifyWebhook({ data, signature }, SECRET).record).toEqual({ method: 'loyalty', n: 1 })
  })
})

describe('verifyWebhook rejects, and says why', () => {
  const { data, signature } = signed
  it.each<[string, string, unknown]>([
    ['missing_field', 'empty data', { data: '', signature }],
    ['missing_field', 'a Map without data', new Map([['signature', 'x']])],
    ['missing_field', 'no signature', { data }],
    ['missing_field', 'a signature that is not a string', { data, signature: 28 }],
    ['missing_field', 'an empty form', {}],
    ['missing_field', 'an empty FormData', new FormData()],
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
    ['signature_mismatch', 'data with its padding cut off', { data: data.replace(/=+$/, ''), signature }],
  ])('%s: %s', (reason, _name, form) => {
    const error = failure(() => verifyWebhook(form as WebhookForm, SECRET))
    expect(error).toMatchObject({ name: 'WebhookVerificationError', code: 'webhook_verification', reason })
    expect(error).toMatchObject({ verified: false, data: undefined })
  })

  it('never shows the secret or the signature it expected', () => {
    const forged = { ...PAYLOAD, amount: 1 }
    const expected = signWebhook(forged, SECRET)
    const error = failure(() => verifyWebhook({ data: expected.data, signature }, SECRET))
    for (const text of [error.message, String(error.stack), JSON.stringify(error)]) {
      expect(text).not.toContain(SECRET)
      expect(text).not.toContain(expected.signature)
    }
  })

  it('without parsing anything first: data that is no Base64 is a mismatch when it is not genuine', () => {
    expect(failure(() => verifyWebhook({ data: '{"not":"base64"}', signature }, SECRET)).reason).toBe(
      'signature_mismatch',
    )
  })
})

describe('verifyWebhook keeps what is genuine and cannot be read', () => {
  const encode = (bytes: number[]) => btoa(String.fromCharCode(...bytes)).replaceAll('/', '_')
  it.each<[string, string, string]>([
    ['not_base64url', 'data that is not Base64', '{"a":1}'],
    ['not_base64url', 'a length that no Base64 has', 'abcde'],
    ['not_utf8', 'bytes that are not UTF-8', encode([0x7b, 0xff, 0x7d])],
    ['not_json', 'a text that is not JSON', btoa('hello')],
    ['not_json', 'JSON cut off', btoa('{"a":')],
    ['not_json', 'an array', btoa('[1]')],
    ['not_json', 'null', btoa('null')],
    ['not_json', 'a string', btoa('"text"')],
  ])('%s: %s', (reason, _name, data) => {
    const error = failure(() => verifyWebhook(signedText(data), SECRET))
    expect(error).toMatchObject({ reason, verified: true, data })
    expect(Object.keys(error)).not.toContain('data')
    expect(JSON.stringify(error)).not.toContain(data)
  })
})

describe('readWebhook', () => {
  it('reads one that came in many small pieces, without a length', async () => {
    const bytes = new TextEncoder().encode(signed.body)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < bytes.length; i += 7) controller.enqueue(bytes.slice(i, i + 7))
        controller.close()
      },
    })
    const request = { headers: new Headers({ 'content-type': FORM }), body }
    expect(await readWebhook(request, SECRET)).toEqual(EVENT)
  })

  it('accepts a charset, other capitals and unknown fields', async () => {
    const request = post(`extra=1&${signed.body}`, 'Application/X-WWW-Form-Urlencoded; charset=UTF-8')
    expect(await readWebhook(request, SECRET)).toEqual(EVENT)
  })

  it.each([null, 'application/json', 'multipart/form-data', 'text/plain', 'application/x-www-form-urlencodedx'])(
    'content_type: %s',
    async (type) => {
      const request = { headers: new Headers(type === null ? {} : { 'content-type': type }), body: null }
      const error = await readFailure(request as unknown as Request)
      expect(error).toMatchObject({ reason: 'content_type', verified: false })
    },
  )

  it('too_large: at the limit it is read, one byte beyond it is not', async () => {
    const { length } = new TextEncoder().encode(signed.body)
    expect(await readWebhook(post(signed.body), SECRET, { maxBytes: length })).toEqual(EVENT)
    for (const maxBytes of [length - 1, 1]) {
      expect((await readFailure(post(signed.body), { maxBytes })).reason).toBe('too_large')
    }
  })

  it('too_large: a stream without end is read up to 8 MB, so that the sender sees the response, and then abandoned', async () => {
    let pulled = 0
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(1024))
      },
      cancel() {
        cancelled = true
      },
    })
    const request = { headers: new Headers({ 'content-type': FORM }), body }
    await expect(readWebhook(request, SECRET, { maxBytes: 4096 })).rejects.toMatchObject({
      reason: 'too_large',
    })
    expect(cancelled).toBe(true)
    // A chunk has 1 KiB, and the stream keeps one ahead.
    expect(pulled).toBeLessThanOrEqual(8 * 1024 + 2)
  })

  it('too_large: a declared length is enough', async () => {
    const headers = new Headers({ 'content-type': FORM, 'content-length': '65537' })
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('read')) })
    await expect(readWebhook({ headers, body }, SECRET)).rejects.toMatchObject({ reason: 'too_large' })
  })

  it.each([
    ['missing_field', 'empty data', `data=&signature=${signed.signature}`],
    ['duplicate_field', 'the signature twice', `${signed.body}&signature=x`],
    ['signature_alphabet', 'malformed escapes', `data=${signed.data}&signature=${'%'.repeat(28)}`],
  ])('%s: %s', async (reason, _name, body) => {
    expect(await readFailure(post(body))).toMatchObject({ reason, verified: false })
  })

  it('rejects an invalid limit', async () => {
    for (const maxBytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(readWebhook(post(signed.body), SECRET, { maxBytes })).rejects.toThrow(ConfigError)
    }
  })

  it('rejects an option that it does not know, before the body is read', async () => {
    for (const read of [
      readWebhook,
      (request: Request, _: string, options: object) => readWebhookForm(request, options),
    ]) {
      const request = post(signed.body)
      await expect(read(request, SECRET, { maxByte: 3 } as object)).rejects.toMatchObject({
        code: 'config',
        field: 'maxByte',
        message: 'maxByte is not an option; the options are maxBytes.',
      })
      expect(request.bodyUsed).toBe(false)
    }
  })
})

describe('what a signature proved genuine is read', () => {
  it.each(['=', '==', '===', ''])('with the padding "%s", in either alphabet', (padding) => {
    const json = JSON.stringify({ method: 'loyalty', order_id: 'A-1', text: '>>>???ÿ' })
    const data = signWebhook(json, SECRET).data.replace(/=+$/, '')
    for (const text of [data, data.replaceAll('-', '+').replaceAll('_', '/')]) {
      const form = signedText(text + padding)
      expect(verifyWebhook(form, SECRET).record).toEqual(JSON.parse(json))
    }
  })
})

describe('a body that AWS Lambda delivers as Base64', () => {
  const body = btoa(signed.body)
  it.each<[string, unknown]>([
    ['the event', { body, isBase64Encoded: true, headers: {} }],
    ['its body as a form', new URLSearchParams(body)],
    ['as the fields that a parser made of it', Object.fromEntries(new URLSearchParams(body))],
  ])('%s is a mistake of the receiver, with its cure', (_name, form) => {
    expect(() => verifyWebhook(form as never, SECRET)).toThrow(
      expect.objectContaining({ code: 'config', field: 'form', message: expect.stringMatching(/decode/) }),
    )
  })

  it('another form with one key is a stranger’s', () => {
    expect(() => verifyWebhook(new URLSearchParams('ping'), SECRET)).toThrow(/no "data"/)
  })
})

describe('what a framework hands over', () => {
  const { data, signature } = signed
  const pairs: [string, string][] = [
    ['data', data],
    ['signature', signature],
  ]

  const formData = new FormData()
  for (const [name, value] of pairs) formData.append(name, value)

  it.each<[string, unknown]>([
    ['FormData', formData],
    ['URLSearchParams', new URLSearchParams(pairs)],
    ['a Map', new Map(pairs)],
    ['the parsed form of Express, Fastify or Hono', { data, signature, more: 1 }],
    [
      'an object without a prototype, as node:querystring makes it',
      Object.assign(Object.create(null), { data, signature }),
    ],
    ['a form with fields that are called like those of a request', { data, signature, headers: 'x', raw: 'x' }],
    ['one whose fields are nested, as headers[host]=x is', { data, signature, headers: { host: 'x' }, raw: {} }],
    ['the same without a prototype', Object.assign(Object.create(null), { data, signature, headers: { host: 'x' } })],
    ['an object of a class that has the fields', Object.assign(new (class Form {})(), { data, signature })],
    [
      'one that reads them',
      new (class {
        get = (name: string) => ({ data, signature })[name]
      })(),
    ],
  ])('%s is verified', (_name, form) => {
    expect(verifyWebhook(form as never, SECRET)).toEqual(EVENT)
  })

  class FrameworkRequest {
    headers = { host: 'shop.example.com' }
    body = { data, signature }
    get(name: string) {
      return name
    }
  }
  class HonoRequest {
    raw = post(signed.body)
    parseBody() {}
  }
  class HonoContext {
    req = new HonoRequest()
    get(_name: string) {}
  }

  it.each<[string, unknown, RegExp]>([
    ['no body parser', undefined, /received: missing/],
    ['null', null, /received: null/],
    ['the raw body as a string', signed.body, /received: string of \d+ char/],
    ['the raw body as bytes', new TextEncoder().encode(signed.body), /received: Uint8Array/],
    ['a view of bytes', new DataView(new ArrayBuffer(2)), /received: DataView/],
    ['a buffer of bytes', new ArrayBuffer(2), /received: ArrayBuffer/],
    ['a promise of the form', Promise.resolve({ data, signature }), /received: Promise/],
    ['a web Request', post(signed.body), /received: Request/],
    ['the request of Express, Fastify or node:http', new FrameworkRequest(), /received: FrameworkRequest/],
    ['the request of Hono', new HonoRequest(), /received: HonoRequest/],
    ['the Context of Hono', new HonoContext(), /received: HonoContext/],
    ['the headers of a request', new Headers({ data, host: 'shop.example.com' }), /received: Headers/],
    ['a Set', new Set([data, signature]), /received: Set/],
    ['a Date', new Date(), /received: Date/],
    ['a URL', new URL(`https://shop.example.com/?${signed.body}`), /received: URL/],
    ['an object of a class without the fields', new (class Form {})(), /received: Form/],
    ['an array', [data, signature], /received: array/],
    ['a number', 5, /received: number/],
    ['the body of a web Request', post(signed.body).body, /received: ReadableStream/],
    ['a Blob', new Blob([signed.body]), /received: Blob/],
    [
      'the stream of node:http',
      new (class IncomingMessage {
        pipe() {}
      })(),
      /received: IncomingMessage/,
    ],
  ])(
    '%s is a mistake of the receiver, never a forgery: the error says what came and what to do',
    (_name, form, said) => {
      for (const part of [said, /parsed form/, /guides\/receivers\.md/]) {
        expect(() => verifyWebhook(form as never, SECRET)).toThrow(
          expect.objectContaining({ code: 'config', field: 'form', message: expect.stringMatching(part) }),
        )
      }
    },
  )

  it('what a stranger posts to a parser that makes objects of a class is a form without data, whatever its fields are called', () => {
    // That of @fastify/formbody: an object whose prototype inherits nothing.
    class Parsed {
      [name: string]: unknown
    }
    Object.setPrototypeOf(Parsed.prototype, null)
    for (const name of ['headers', 'raw', 'pipe', 'getReader', 'slice', 'buffer', 'then', 'get', 'getAll']) {
      for (const value of ['x', ['x'], { x: 'x' }]) {
        for (const parsed of [new Parsed(), {}, Object.create(null)]) {
          expect(() => verifyWebhook(Object.assign(parsed, { [name]: value }), SECRET)).toThrow(
            expect.objectContaining({ code: 'webhook_verification', reason: 'missing_field' }),
          )
        }
      }
    }
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a string', signed.body],
    ['the request of Express, Fastify or node:http', new FrameworkRequest()],
    ['the request of Hono', new HonoRequest()],
    ['the Context of Hono', new HonoContext()],
  ])('readWebhook of %s says so too', async (_name, request) => {
    for (const part of [/web Request/, /Hono c\.req\.raw/, /guides\/receivers\.md/]) {
      await expect(readWebhook(request as Request, SECRET)).rejects.toMatchObject({
        code: 'config',
        field: 'request',
        message: expect.stringMatching(part),
      })
    }
  })

  it('a body that was read already is a mistake of the receiver, with what to do instead', async () => {
    const read = post(signed.body)
    await read.text()
    const twice = post(signed.body)
    await readWebhook(twice, SECRET)
    const locked = post(signed.body)
    const reader = locked.body?.getReader()
    for (const request of [read, twice, locked]) {
      for (const part of [/read already/, /before anything else/, /pass verifyWebhook the parsed form/]) {
        await expect(readWebhook(request, SECRET)).rejects.toMatchObject({
          code: 'config',
          field: 'request',
          message: expect.stringMatching(part),
        })
      }
    }
    reader?.releaseLock()
  })

  it.each([
    ['application/json; charset=utf-8', '"application/json; charset=utf-8"'],
    ['x'.repeat(101), `"${'x'.repeat(100)}"`],
  ])('a content type that is not a form’s is named, up to 100 characters: %s', async (type, shown) => {
    const error = await readFailure(post('{}', type))
    expect(error).toMatchObject({ reason: 'content_type', message: expect.stringContaining(shown) })
  })

  it('forgotten secrets are noticed before the body is consumed', async () => {
    const request = post(signed.body)
    await expect(readWebhook(request, undefined as never)).rejects.toMatchObject({ code: 'config', field: 'secrets' })
    expect(await readWebhook(request, SECRET)).toEqual(EVENT)
  })

  it('an unset previous secret is skipped', () => {
    expect(verifyWebhook({ data, signature }, [SECRET, undefined])).toEqual(EVENT)
    expect(verifyWebhook({ data, signature }, [undefined, SECRET])).toEqual(EVENT)
    for (const secrets of [[undefined], [], [SECRET, ''], [SECRET, null], undefined, null, 5]) {
      expect(() => verifyWebhook({ data, signature }, secrets as string[])).toThrow(
        expect.objectContaining({ code: 'config', field: 'secrets' }),
      )
    }
  })
})

describe('readWebhookForm', () => {
  it('gives the two fields as they came, unverified', async () => {
    expect(await readWebhookForm(post('data=abc%3D&signature=x%20y'))).toEqual({ data: 'abc=', signature: 'x y' })
  })
})

describe('raw card data', () => {
  it('that no webhook documents is cut from the event, however its name is written', () => {
    for (const name of ['cc_number', 'exp_month', 'exp_year', 'card_cvv']) {
      for (const written of [name, `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`]) {
        const form = signWebhook(`{"method":"loyalty","card":{"${written}":"4242"}}`, 's')
        expect(verifyWebhook(form, 's').record).toEqual({ method: 'loyalty', card: {} })
      }
    }
  })
})
