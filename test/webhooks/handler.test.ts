import { afterEach, expect, it, vi } from 'vitest'
import {
  createWebhookHandler,
  isWebhookVerificationError,
  signData,
  type WebhookEvent,
} from '../../src/webhooks/index.ts'
import { FORM, PAYLOAD, post, SECRET, signed } from './signed.ts'

const unreadable = new URLSearchParams({ data: 'not JSON', signature: signData('not JSON', SECRET) }).toString()
const forged = new URLSearchParams({ data: signed.data, signature: signData(signed.data, 'other') }).toString()

/** A handler, and what its functions received. */
function receiver(options: Partial<Parameters<typeof createWebhookHandler>[0]> = {}) {
  const events: WebhookEvent[] = []
  const reports: { error: unknown; status: number }[] = []
  const handle = createWebhookHandler({
    secrets: SECRET,
    onEvent: (event) => events.push(event),
    onRejected: (error, status) => reports.push({ error, status }),
    ...options,
  })
  return { handle, events, reports }
}

const fail = (error: Error): never => {
  throw error
}

async function shown(response: Response): Promise<[status: number, text: string]> {
  return [response.status, await response.text()]
}

afterEach(() => vi.restoreAllMocks())

it('responds 200 with an empty body after onEvent returned', async () => {
  const steps: string[] = []
  const { handle, reports } = receiver({
    onEvent: async (event, form) => {
      await Promise.resolve()
      expect(form).toEqual({ data: signed.data, signature: signed.signature })
      steps.push(`stored ${event.order_id}`)
    },
  })
  const clear = vi.spyOn(globalThis, 'clearTimeout')
  const response = await handle(post(signed.body))
  // No timer keeps the process alive.
  expect(clear).toHaveBeenCalled()
  steps.push('responded')
  expect(await shown(response)).toEqual([200, ''])
  expect([response.body, ...response.headers]).toEqual([null])
  expect(steps).toEqual(['stored A-1', 'responded'])
  expect(reports).toEqual([])
})

it.each<[number, string, string, Request]>([
  [400, 'Bad request', 'missing_field', post('data=abc')],
  [400, 'Bad request', 'duplicate_field', post(`${signed.body}&data=x`)],
  [400, 'Bad request', 'not_utf8', post(new Uint8Array([0xff, 0xfe]))],
  [401, 'Unauthorized', 'signature_mismatch', post(forged)],
  [405, 'Method not allowed', 'method', post(signed.body, FORM, 'PUT')],
  [405, 'Method not allowed', 'method', new Request('https://shop.example.com/webhooks')],
  [413, 'Too large', 'too_large', post(`${signed.body}&more=${'x'.repeat(2_000_000)}`)],
  [415, 'Unsupported media type', 'content_type', post(JSON.stringify(PAYLOAD), 'application/json')],
])('responds %i %s: %s', async (status, text, reason, request) => {
  const { handle, events, reports } = receiver()
  const response = await handle(request)
  expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await shown(response)).toEqual([status, text])
  expect(events).toEqual([])
  expect(reports).toEqual([{ status, error: expect.objectContaining({ reason, verified: false }) }])
  expect(isWebhookVerificationError(reports[0]?.error)).toBe(true)
})

it('calls a function for its secrets at the first webhook, once, and again after it failed', async () => {
  const results = [new Error('no vault'), undefined, '', [undefined], [''], ['old', SECRET]]
  const secrets = vi.fn(async () => {
    const result = results.shift()
    if (result instanceof Error) throw result
    return result as string[]
  })
  const { handle, reports } = receiver({ secrets })
  expect(secrets).not.toHaveBeenCalled()
  const statuses = []
  for (let sent = 0; sent < 7; sent++) statuses.push((await handle(post(signed.body))).status)
  expect([statuses, secrets.mock.calls.length]).toEqual([[503, 503, 503, 503, 503, 200, 200], 6])
  const missing = expect.stringContaining('A webhook secret is missing')
  expect(reports).toMatchObject([{ error: { message: 'no vault' } }, ...Array(4).fill({ error: { message: missing } })])
})

it('limits the body by maxBytes', async () => {
  expect((await receiver({ maxBytes: 9 }).handle(post(signed.body))).status).toBe(413)
})

it('responds 400 when the connection fails while the body is read', async () => {
  const broken = new Error('connection reset')
  const body = new ReadableStream({ pull: (controller) => controller.error(broken) })
  const { handle, reports } = receiver()
  const request = { method: 'POST', headers: new Headers({ 'content-type': FORM }), body } as Request
  expect(await shown(await handle(request))).toEqual([400, 'Bad request'])
  expect(reports).toEqual([{ status: 400, error: broken }])
})

const down = new Error('the database is away')
it.each([
  ['throws', () => fail(down)],
  ['rejects', () => Promise.reject(down)],
  ['throws an error of this package', () => void createWebhookHandler({ secrets: '', onEvent() {} })],
])('responds 503 when onEvent %s', async (_name, onEvent) => {
  const { handle, reports } = receiver({ onEvent })
  expect(await shown(await handle(post(signed.body)))).toEqual([503, 'Try again later'])
  const message = expect.stringMatching(/database is away|secret is missing/)
  expect(reports).toMatchObject([{ status: 503, error: { message } }])
})

it('responds 200 for a genuine unreadable webhook after onUnreadable kept it', async () => {
  const kept: string[] = []
  const { handle, events, reports } = receiver({ onUnreadable: async ({ data }) => kept.push(data) })
  expect(await shown(await handle(post(unreadable)))).toEqual([200, ''])
  expect({ kept, events, reports }).toEqual({ kept: ['not JSON'], events: [], reports: [] })
  // One that is not genuine never gets there.
  expect(await shown(await handle(post(forged)))).toEqual([401, 'Unauthorized'])
  expect([kept.length, reports.length]).toEqual([1, 1])
})

it('responds 503 for it without an onUnreadable, and when that throws', async () => {
  const without = receiver()
  expect(await shown(await without.handle(post(unreadable)))).toEqual([503, 'Try again later'])
  expect(without.reports).toMatchObject([{ status: 503, error: { verified: true, data: 'not JSON' } }])
  const full = new Error('the disk is full')
  const failing = receiver({ onUnreadable: () => Promise.reject(full) })
  expect(await shown(await failing.handle(post(unreadable)))).toEqual([503, 'Try again later'])
  expect(failing.reports).toEqual([{ status: 503, error: full }])
})

it('responds 503 after timeoutMs, whatever never ends, and reports how it ended', async () => {
  const never = () => new Promise(() => {})
  const body = { onEvent: signed.body, onUnreadable: unreadable, onRejected: forged }
  for (const name of ['onEvent', 'onUnreadable', 'onRejected'] as const) {
    const reports: unknown[] = []
    const onRejected = (_: unknown, status: number) => reports.push(status)
    const base = { secrets: SECRET, onEvent: () => {}, onRejected }
    const handle = createWebhookHandler({ ...base, [name]: never, timeoutMs: 5 })
    expect((await handle(post(body[name]))).status).toBe(503)
    if (name !== 'onRejected') expect(reports).toEqual([503])
  }
  for (const error of [undefined, new Error('late')]) {
    let end = () => {}
    const work = new Promise<void>((resolve, reject) => {
      end = () => (error ? reject(error) : resolve())
    })
    // On a slow machine it ends before `onEvent` is called.
    work.catch(() => {})
    const onEvent = () => work
    const late = new Promise((onLate) => {
      const options = { secrets: SECRET, onEvent, onRejected: () => {}, onLate, timeoutMs: 5 }
      createWebhookHandler(options)(post(signed.body)).then(() => end())
    })
    expect(await late).toStrictEqual({ status: error ? 503 : 200, error })
  }
  for (const timeoutMs of [0, 1.5, -1, 2 ** 31, Number.NaN]) {
    expect(() => createWebhookHandler({ secrets: SECRET, onEvent: () => {}, timeoutMs })).toThrow(/timeoutMs must be/)
  }
  for (const timeoutMs of [1, 2 ** 31 - 1]) createWebhookHandler({ secrets: SECRET, onEvent: () => {}, timeoutMs })
})

it('responds 408 where the body does not arrive, and reports what came later only if a function ran', async () => {
  for (const body of [signed.body, forged]) {
    const steps: unknown[] = []
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const request = { method: 'POST', headers: new Headers({ 'content-type': FORM }), body: readable } as Request
    let reported = (_: unknown) => {}
    const late = new Promise((resolve) => {
      reported = resolve
    })
    const options = {
      secrets: SECRET,
      onEvent: () => void steps.push('stored'),
      onRejected: (error: unknown, status: number) => void steps.push([(error as { reason?: string }).reason, status]),
      onLate: (result: unknown) => {
        steps.push('late')
        reported(result)
      },
    }
    const handle = createWebhookHandler({ ...options, timeoutMs: 5 })
    expect(await shown(await handle(request))).toEqual([408, 'Request timeout'])
    await new Response(body).body?.pipeTo(writable)
    if (body === signed.body) expect(await late).toEqual({ status: 200, error: undefined })
    else await createWebhookHandler(options)(post(forged))
    // A forgery that comes late is nobody's business.
    await new Promise((done) => setTimeout(done))
    const after = body === signed.body ? ['stored', 'late'] : [['signature_mismatch', 401]]
    expect(steps).toEqual([['incomplete', 408], ...after])
  }
})

it('responds 500 for a mistake in the receiver, and names the cure to onRejected alone', async () => {
  const read = post(signed.body)
  await read.text()
  for (const [request, cure] of [
    [read, 'before anything else reads it'],
    [{ req: { raw: post(signed.body) } } as never, 'c.req.raw'],
  ] as const) {
    const { handle, reports } = receiver()
    expect(await shown(await handle(request))).toEqual([500, 'Internal error'])
    const message = expect.stringContaining(cure)
    expect(reports).toEqual([{ status: 500, error: expect.objectContaining({ code: 'config', message }) }])
  }
})

it('leaves the response alone when onRejected throws', async () => {
  for (const onRejected of [() => fail(new Error('log')), () => Promise.reject(new Error('log'))]) {
    const { handle } = receiver({ onRejected })
    expect(await shown(await handle(post(forged)))).toEqual([401, 'Unauthorized'])
  }
})

it('prints the reason without an onRejected, and no secret', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const failed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const store = new Error('the database is away')
  const { handle } = receiver({ onRejected: undefined, onEvent: () => Promise.reject(store) })
  await handle(post(forged))
  await handle(post(signed.body))
  await handle('no request' as never)
  expect(warned.mock.calls).toEqual([[expect.stringContaining('does not match')]])
  expect(failed.mock.calls).toEqual([[store], [expect.objectContaining({ code: 'config' })]])
  expect(JSON.stringify(warned.mock.calls)).not.toContain(SECRET)
})

it.each<[string, unknown]>([
  ['secrets', { secrets: '', onEvent() {} }],
  ['onEvent', { secrets: SECRET }],
  ['onUnReadable', { secrets: SECRET, onEvent() {}, onUnReadable() {} }],
  ['onUnreadable', { secrets: SECRET, onEvent() {}, onUnreadable: 'keep' }],
  ['onRejected', { secrets: SECRET, onEvent() {}, onRejected: null }],
  ['maxBytes', { secrets: SECRET, onEvent() {}, maxBytes: 0 }],
  ['secrets', undefined],
])('throws a ConfigError at once for a wrong %s', (field, options) => {
  const error = expect.objectContaining({ code: 'config', field })
  expect(() => createWebhookHandler(options as never)).toThrow(error)
})
