import { describe, expect, it } from 'vitest'
import { type BrowserFingerprintValues, browserFingerprint, browserFingerprintSnippet } from '../../src/card/index.ts'
import { createPayment } from '../../src/index.ts'
import { CARD, PAYMENT_RECORD } from '../support/inputs.ts'
import { CONFIG, json, wire } from '../support/mock-fetch.ts'

const WHOLE = CARD.browser_fingerprint
const { browserAcceptHeader: _accept, browserIpAddress: _ip, browserUserAgent: _agent, ...FORM } = WHOLE
const HEADERS = { accept: 'text/html', 'user-agent': 'Mozilla/5.0', 'cf-connecting-ip': '203.0.113.7' }
// A plain object of headers: not every runtime lets a program set `user-agent` on a Request.
const request = (headers: Record<string, string> = HEADERS) => ({ headers: new Headers(headers) })

describe('browserFingerprint', () => {
  it('is whole, from an object, a form, a query or a map, and createPayment takes it', async () => {
    const form = new FormData()
    for (const [name, value] of Object.entries(FORM)) form.set(name, value)
    for (const values of [FORM, form, new URLSearchParams(FORM), new Map(Object.entries(FORM))]) {
      const fingerprint = browserFingerprint(request(), values)
      expect(fingerprint).toEqual(WHOLE)
      const { fetch, sent } = wire(json(PAYMENT_RECORD))
      await createPayment({ ...CONFIG, fetch }, { ...CARD, browser_fingerprint: fingerprint })
      expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ browser_fingerprint: WHOLE })
    }
  })

  it('takes nothing from the form that the request has, and no other field', () => {
    const values = { ...FORM, browserIpAddress: '198.51.100.1', browserUserAgent: 'forged', cc_number: '4242' }
    expect(browserFingerprint(request(), values)).toEqual(WHOLE)
  })

  it('takes a request of Express, Fastify or node:http, whose headers are an object', () => {
    const headers: { [name: string]: string | string[] | undefined } = { ...HEADERS, 'set-cookie': ['a', 'b'] }
    expect(browserFingerprint({ headers }, FORM)).toEqual(WHOLE)
    expect(browserFingerprint({ headers }, FORM, '198.51.100.9').browserIpAddress).toBe('198.51.100.9')
    const { 'cf-connecting-ip': _ip, ...behind } = headers
    const ip: string | undefined = '198.51.100.9'
    expect(browserFingerprint({ headers: behind }, FORM, ip).browserIpAddress).toBe(ip)
  })

  it('names all that is missing, and of each what came instead, never the value', () => {
    const issuesOf = (headers: Record<string, string>, values: BrowserFingerprintValues) => {
      try {
        return browserFingerprint(request(headers), values)
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_input' })
        return (error as { issues: object[] }).issues
      }
    }
    const missing = (path: string) => ({ path, message: 'must be a string from the form', received: 'missing' })
    const headers = ['browserAcceptHeader', 'browserIpAddress', 'browserUserAgent'].map((path) => ({ path }))
    expect(issuesOf({}, new FormData())).toMatchObject([...Object.keys(FORM).map(missing), ...headers])
    expect(issuesOf(HEADERS, {})).toEqual(Object.keys(FORM).map(missing))
    const values = { ...FORM, browserColorDepth: 24, browserLanguage: undefined, browserTimeZone: null }
    expect(issuesOf(HEADERS, values)).toEqual([
      { ...missing('browserColorDepth'), received: 'number' },
      ...['browserLanguage', 'browserTimeZone'].map(missing),
    ])
  })

  it('a stranger’s form with a field called "get" is a form all the same, and an empty text is a text', () => {
    const values = { ...FORM, get: 'x', browserLanguage: '' } as BrowserFingerprintValues
    expect(browserFingerprint(request(), values)).toEqual({ ...WHOLE, browserLanguage: '' })
  })
})

it('the snippet fills exactly the fields that are read from the form', () => {
  const names = [...browserFingerprintSnippet.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => name)
  expect(names).toEqual(Object.keys(FORM))
  expect(browserFingerprintSnippet).toMatch(/^<script>[^<]*<\/script>$/)
})
