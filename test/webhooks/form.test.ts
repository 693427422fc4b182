// The sources of a form, and mistakes of the receiver that are no forgery.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseForm, readForm } from '../../src/webhooks/form.ts'
import { readWebhook, verifyWebhook } from '../../src/webhooks/index.ts'
import { check, SEED } from '../support/property.ts'
import { EVENT, post, SECRET, signed } from './signed.ts'

/** A mistake of the receiver, and what its message says. */
const mistake = (message: unknown) => expect.objectContaining({ code: 'config', field: 'form', message })

describe('a body that AWS Lambda delivers as Base64', () => {
  const body = btoa(signed.body)
  it.each<[string, unknown]>([
    ['the event', { body, isBase64Encoded: true, headers: {} }],
    ['its body as a form', new URLSearchParams(body)],
    ['as the fields that a parser made of it', Object.fromEntries(new URLSearchParams(body))],
  ])('%s is a mistake of the receiver, with its cure', (_name, form) => {
    expect(() => verifyWebhook(form as never, SECRET)).toThrow(mistake(expect.stringMatching(/decode/)))
  })

  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  it.each<[string, unknown]>([
    ['a request', { method: 'POST', headers, body: signed.body }],
    ['a request', { headers, body: Object.fromEntries(new URLSearchParams(signed.body)) }],
    ['a request', { rawBody: new TextEncoder().encode(signed.body) }],
    ['a request', { headers, rawBody: signed.body }],
    ['the body as a key', { [signed.body]: '' }],
  ])('%s in place of the form is one, too', (what, form) => {
    expect(() => verifyWebhook(form as never, SECRET)).toThrow(mistake(expect.stringContaining(`(received: ${what})`)))
    // A form that may be a stranger's stays a stranger's.
    expect(() => verifyWebhook({ headers: 'x', body: 'y' }, SECRET)).toThrow(/no "data"/)
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
    ['a Map', new Map(pairs)],
    ['one whose fields are nested, as headers[host]=x is', { data, signature, headers: { host: 'x' }, raw: {} }],
    ['the same without a prototype', Object.assign(Object.create(null), { data, signature, headers: { host: 'x' } })],
    ['an object of a class that has the fields', Object.assign(new (class Form {})(), { data, signature })],
    ['one that reads them', { get: (name: string) => ({ data, signature })[name] }],
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
    ['a number', 5, /received: number/],
    ['the raw body as a string', signed.body, /received: string of \d+ char/],
    ['a web Request', post(signed.body), /received: Request/],
    ['the request of Express, Fastify or node:http', new FrameworkRequest(), /received: FrameworkRequest/],
    ['the request of Hono', new HonoRequest(), /received: HonoRequest/],
    ['the Context of Hono', new HonoContext(), /received: HonoContext/],
    ['the headers of a request', new Headers({ data, host: 'shop.example.com' }), /received: Headers/],
    ['a Set', new Set([data, signature]), /received: Set/],
    ['an object of a class without the fields', new (class Form {})(), /received: Form/],
    ['an array', [data, signature], /received: array/],
  ])(
    '%s is a mistake of the receiver, never a forgery: the error says what came and what to do',
    (_name, form, message) => {
      for (const part of [message, /parsed form/, /guides\/receivers\.md/]) {
        expect(() => verifyWebhook(form as never, SECRET)).toThrow(mistake(expect.stringMatching(part)))
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

  it('readWebhook says so too', async () => {
    const headers = new Headers()
    for (const request of [undefined, signed.body, new FrameworkRequest(), new HonoContext(), { headers, body: {} }])
      await expect(readWebhook(request as unknown as Request, SECRET)).rejects.toMatchObject({
        ...{ code: 'config', field: 'request' },
        message: expect.stringMatching(/web Request.*Hono c\.req\.raw.*guides\/receivers\.md/),
      })
  })

  it('a body that was read already is a mistake of the receiver, with what to do instead', async () => {
    const read = post(signed.body)
    await read.text()
    const locked = post(signed.body)
    locked.body?.getReader()
    for (const request of [read, locked]) {
      const message = expect.stringMatching(/read already.*before anything else.*pass verifyWebhook the parsed form/)
      await expect(readWebhook(request, SECRET)).rejects.toMatchObject({ code: 'config', field: 'request', message })
    }
  })
})

describe(`the text of a body (seed ${SEED})`, () => {
  const outcome = (read: () => unknown) => {
    try {
      return read()
    } catch (error) {
      return String(error)
    }
  }
  const piece = fc.constantFrom('data', 'signature', '=', '&', '%3D', '%3d', '%26', '%', '+', 'Zm9v', 'é', 'x')

  it('has the fields that URLSearchParams finds in it, or lacks them with the same words', () =>
    check(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, isNamed) => {
        const text = isNamed ? `data=${pieces.join('')}&signature=${pieces.reverse().join('')}` : pieces.join('')
        expect(outcome(() => parseForm(text))).toEqual(outcome(() => readForm(new URLSearchParams(text))))
      }),
    ))
})
