import { describe, expect, it } from 'vitest'
import { createClient, type Issue } from '../../src/index.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { OPERATION_CASES, RECORD_CASES, recordOf } from '../support/operations.ts'

const BODIES: [name: string, body: string][] = [
  ['the known shape', '{"message":"No","args":{"code":"S-404"}}'],
  ['HTML', '<html>nginx</html>'],
  ['nothing', ''],
  ['cut off', '{"message":"N'],
  ['2 MB', 'x'.repeat(2_000_000)],
]

// What holds for each operation alike.
describe.each(OPERATION_CASES)('%s', (name, { call, isGet = false }) => {
  const run = async (...replies: Parameters<typeof wire>) => {
    const { fetch, sent } = wire(...replies)
    const error = await rejection(call(createClient({ ...CONFIG, fetch, random: () => 0, timeoutMs: 1000 })))
    return { error, sent }
  }

  it.each(BODIES)('is rejected with a 4xx and %s', async (_shape, body) => {
    for (const status of [400, 401, 404, 405, 406, 409]) {
      const { error, sent } = await run(new Response(body, { status, headers: { 'content-type': 'text/plain' } }))
      expect(error).toMatchObject({ name: 'ApiError', code: 'api', status, attempts: 1 })
      expect(sent).toHaveLength(1)
    }
  })

  it.each(BODIES)('meets a 5xx with %s', async (_shape, body) => {
    const reply = () => new Response(body, { status: 503 })
    const { error, sent } = await run(reply, reply, reply)
    const unknown = { code: 'outcome_unknown', reason: 'server_error' }
    expect(error).toMatchObject(isGet ? { code: 'api', status: 503 } : unknown)
    expect(sent).toHaveLength(isGet ? 3 : 1)
  })

  it.each([402, 407, 408, 419, 451, 460, 499, 501, 599])(
    'meets a %i, which does not say that nothing was processed',
    async (status) => {
      const reply = () => json({ message: 'lost', ticket: 'T-1' }, status, { 'x-request-id': 'r-1' })
      const { error, sent } = await run(reply(), reply(), reply())
      expect(error).toMatchObject({ code: isGet ? 'api' : 'outcome_unknown', status, requestId: 'r-1' })
      expect(error.body).toEqual({ message: 'lost', ticket: 'T-1' })
      expect(Object.keys(error)).not.toContain('body')
      expect(error.message).toMatch(isGet ? /rejected/ : /Whether it was processed is unknown/)
      expect(error.message).not.toMatch(/executed/)
      expect(sent).toHaveLength(isGet && (status === 408 || status >= 500) ? 3 : 1)
    },
  )

  it('meets a 200 without what decides: it is not known whether it was processed', async () => {
    const bodies = [{ message: 'order is not reserved', args: { code: 'S-500' } }, {}, null, 'queued']
    for (const body of name.startsWith('rawRequest') ? [] : bodies) {
      // An event of any object is a value, and so is whatever a portal lists.
      if (name === 'resendWebhook' && body !== null && typeof body === 'object') continue
      const { error } = await run(json(body, 200, { 'x-request-id': 'r-2' }))
      expect(error).toMatchObject({ code: isGet ? 'unexpected_response' : 'outcome_unknown', requestId: 'r-2', body })
      expect(error.message).not.toMatch(/executed/)
      if (!isGet) expect(error.message).toMatch(/Whether it was processed is unknown/)
    }
  })

  it('meets a 2xx that is not JSON', async () => {
    // request() promises no body, so that an empty one is fine.
    const bodies = ['<html>', '{"payment_id":"', ...(name.startsWith('rawRequest') ? [] : [''])]
    for (const body of bodies) {
      const { error, sent } = await run(new Response(body))
      expect(error.code).toBe(isGet ? 'unexpected_response' : 'outcome_unknown')
      expect(sent).toHaveLength(1)
    }
  })

  it('meets a redirect to another origin: it is never followed', async () => {
    const location = 'ftp://evil.example.com/'
    const { error, sent } = await run(new Response(null, { status: 307, headers: { location } }))
    expect(error.code).toBe(isGet ? 'unexpected_response' : 'outcome_unknown')
    expect(sent).toHaveLength(1)
    expect(sent[0]?.init.redirect).toBe('manual')
  })

  it('is tried again after a 429, with the very same request', async () => {
    const limited = () => json({}, 429)
    const { error, sent } = await run(limited(), limited(), limited())
    expect(error).toMatchObject({ code: 'api', status: 429, retryable: true, attempts: 3 })
    expect(sent.map(({ url, headers, body }) => ({ url, headers, body }))).toEqual(
      Array(3).fill({ url: sent[0]?.url, headers: sent[0]?.headers, body: sent[0]?.body }),
    )
  })
})

describe('a record of any operation has what was received and what was left out of it', () => {
  it.each(RECORD_CASES)('%s', async (name, { call }) => {
    const { record: whole, odd: more, wrap } = recordOf(name)
    const record = { ...whole, ...more }
    const odd = Object.keys(more)
    for (const names of [['issues', 'record'], []]) {
      // A field of the wire with such a name stays in `record` alone.
      const sent = { ...record, ...Object.fromEntries(names.map((own) => [own, 'of the service'])) }
      const { fetch } = wire(json(wrap(sent)))
      const returned = await call(createClient({ ...CONFIG, fetch }))
      const one = (Array.isArray(returned) ? returned[0] : returned) as { issues: Issue[]; record: unknown }
      expect(one.issues.map(({ path }) => path)).toEqual(odd)
      expect(one.record).toEqual(sent)
      for (const field of ['issues', 'record', ...odd]) expect(Object.keys(one)).not.toContain(field)
    }
  })
})

it('a method of a client needs no this', async () => {
  const { fetch } = wire(json({ accounts: [] }))
  const { listAccounts } = createClient({ ...CONFIG, fetch })
  expect(await listAccounts()).toEqual([])
})
