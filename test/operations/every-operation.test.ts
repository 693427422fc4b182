import { describe, expect, it } from 'vitest'
import { createClient, type Issue } from '../../src/index.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { OPERATION_CASES, RECORD_CASES, recordOf } from '../support/operations.ts'

const UNKNOWN = { code: 'outcome_unknown' }
const REJECTED = { name: 'ApiError', code: 'api', attempts: 1 }
const BODIES = ['{"message":"No","args":{"code":"S-404"}}', '<html>nginx</html>', '', '{"message":"N']
const unprocessed = ({ message }: Error) => message.includes('Whether it was processed is unknown')

type Row = [
  what: string,
  reply: () => Response,
  ofGet: object,
  sentByGet: number,
  ofOthers: object,
  sentByOthers: number,
]
const ROWS: Row[] = [
  // Every status is in test/http/retries.test.ts.
  ...[400, 401, 404, 409].map((status, i): Row => {
    const expected = { ...REJECTED, status }
    return [`${status} ${BODIES[i]}`, () => new Response(BODIES[i], { status }), expected, 1, expected, 1]
  }),
  ...[408, 499, 503].map((status): Row => {
    const body = { message: 'lost', ticket: 'T-1' }
    const expected = { status, requestId: 'r-1', body }
    const reply = () => json(body, status, { 'x-request-id': 'r-1' })
    return [`${status}`, reply, { ...expected, code: 'api' }, status === 499 ? 1 : 3, { ...expected, ...UNKNOWN }, 1]
  }),
  ...['<html>', '{"payment_id":"'].map((body): Row => {
    return [`a 2xx that is not JSON: ${body}`, () => new Response(body), { code: 'unexpected_response' }, 1, UNKNOWN, 1]
  }),
  [
    'a redirect to another origin',
    () => new Response(null, { status: 307, headers: { location: 'ftp://evil.example.com/' } }),
    ...([{ code: 'unexpected_response' }, 1, UNKNOWN, 1] as const),
  ],
]

// Rules that hold for each operation alike.
describe.each(OPERATION_CASES)('%s', (name, { call, isGet = false }) => {
  const run = async (reply: () => Response) => {
    const { fetch, sent } = wire(reply, reply, reply)
    const error = await rejection(call(createClient({ ...CONFIG, fetch, random: () => 0, timeoutMs: 1000 })))
    return { error, sent }
  }

  it.each(ROWS)('meets %s', async (_what, reply, ofGet, sentByGet, ofOthers, sentByOthers) => {
    const { error, sent } = await run(reply)
    expect(error).toMatchObject(isGet ? ofGet : ofOthers)
    expect(unprocessed(error)).toBe(error.code === 'outcome_unknown')
    expect(Object.keys(error)).not.toContain('body')
    expect(sent).toHaveLength(isGet ? sentByGet : sentByOthers)
    expect(sent[0]?.init.redirect).toBe('manual')
  })

  // rawRequest() promises nothing of a body, and an event of any object is a value.
  const bodies = ['', 'null', '"queued"', ...(name === 'resendWebhook' ? [] : ['{}', '{"message":"not reserved"}'])]
  it.each(name.startsWith('rawRequest') ? [] : bodies)('meets a 200 without what decides: %s', async (body) => {
    const { error } = await run(() => new Response(body, { headers: { 'x-request-id': 'r-2' } }))
    expect(error).toMatchObject({ code: isGet ? 'unexpected_response' : 'outcome_unknown', requestId: 'r-2' })
    expect(error.body).toEqual(body === '' ? undefined : JSON.parse(body))
    expect(unprocessed(error)).toBe(!isGet)
  })

  it('is tried again after a 429, with the very same request', async () => {
    const { error, sent } = await run(() => json({}, 429))
    expect(error).toMatchObject({ code: 'api', status: 429, retryable: true, attempts: 3 })
    const [first, ...others] = sent.map(({ url, headers, body }) => ({ url, headers, body }))
    expect(others).toEqual([first, first])
  })
})

it.each(RECORD_CASES)('a record of %s has what was received and what was left out of it', async (name, { call }) => {
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
