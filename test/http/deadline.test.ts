import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, failure, GET, POST } from '../support/call.ts'
import { json, rejection, type Sent, silence } from '../support/mock-fetch.ts'

const STALLED = () => new ReadableStream({ start: (c) => c.enqueue(new Uint8Array([0x7b])) })

afterEach(() => vi.restoreAllMocks())

describe('time limits', () => {
  it('a GET that times out is tried again, then given up as a connection failure', async () => {
    const { answer, sent } = call(GET, [silence, silence, silence], { timeoutMs: 40 })
    expect(await rejection(answer)).toMatchObject({ code: 'connection', reason: 'timeout', attempts: 3 })
    expect(sent.map(({ init }) => init.signal?.aborted)).toEqual([true, true, true])
  })

  it.each([
    [200, { code: 'outcome_unknown', reason: 'timeout', status: 200 }],
    [400, { code: 'api', status: 400 }],
  ])('covers the body too: headers alone are not a response, with %i', async (status, expected) => {
    const { answer } = call(POST, [new Response(STALLED(), { status })], { timeoutMs: 40 })
    expect(await rejection(answer)).toMatchObject(expected)
  })

  it('of one millisecond, the least, lets the request be sent', async () => {
    // The millisecond does not pass.
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((() => 0) as never)
    vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const { answer, sent } = call(POST, [json({ ok: 1 })], {}, { timeoutMs: 1 })
    expect(await answer).toMatchObject({ body: { ok: 1 } })
    expect(sent).toHaveLength(1)
  })

  it('sends nothing from a process that was paused beyond it, whose timers have not run yet', async () => {
    const start = Date.now()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(start)
    const onRequest = () => void clock.mockReturnValue(start + 30_001)
    const error = await failure(call(POST, [json({ ok: 1 })], { onRequest }, { deadlineMs: 30_000 }))
    expect(error).toMatchObject({ code: 'connection', reason: 'timeout', requests: 0 })
  })

  it.each(['timeoutMs', 'deadlineMs'])('%s of a call wins over the configuration, unless it is null', async (name) => {
    for (const [configured, given] of [
      [60_000, 50],
      [50, undefined],
      [50, null],
    ]) {
      const error = await failure(call(POST, [silence], { [name]: configured }, { [name]: given }))
      expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'timeout', requests: 1 })
    }
    const { answer } = call(GET, [json({}, 503)], { maxRetries: 5 }, { maxRetries: 0 })
    expect(await rejection(answer)).toMatchObject({ code: 'api', status: 503, attempts: 1 })
  })
})

describe('the deadline of a whole call', () => {
  it('ends the retries of a GET: no attempt begins that cannot end in time', async () => {
    const { answer, sent } = call(GET, Array(9).fill(silence), { timeoutMs: 20, deadlineMs: 50, maxRetries: 8 })
    expect(await rejection(answer)).toMatchObject({ code: 'connection', reason: 'timeout' })
    expect(sent.length).toBeLessThan(5)
  })

  it('that has passed when a pause ends lets nothing more be sent: a POST would end with an unknown outcome', async () => {
    // The pause is exactly as long as what is left, but for the time that the first attempt took.
    const startedAt = Date.now()
    let late = 0
    vi.spyOn(Date, 'now').mockImplementation(() => startedAt + late)
    const onRetry = () => {
      late = 1_000
    }
    const replies = [json({}, 429, { 'retry-after': '0' }), silence]
    const error = await failure(call(POST, replies, { deadlineMs: 1_000, onRetry }))
    expect(error).toMatchObject({ code: 'connection', reason: 'timeout', attempts: 1, requests: 1 })
  })
})

describe('the options of a call', () => {
  const limits = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5']
  it.each<[string, unknown[], unknown[]]>([
    ['timeoutMs', [1, 2 ** 31 - 1], limits],
    ['deadlineMs', [1, 2 ** 31 - 1], limits],
    ['maxRetries', [0, 10], [11, -1]],
    ['signal', [null], [new AbortController(), {}, true, { aborted: false }]],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) {
      // A response that is there already is in time; one that is late would be a timeout, not an invalid input.
      const outcome = await call(POST, [json({})], {}, { [name]: value }).answer.catch(({ reason }) => reason)
      expect(outcome).not.toBe(undefined)
    }
    for (const value of wrong) {
      const error = await failure(call(POST, [], {}, { [name]: value }))
      expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path: name }], requests: 0 })
      if (name === 'signal') expect(error.message).toMatch(/AbortController/)
    }
  })

  it.each([null, 5, 'x', []])('%j are none: it is rejected before anything happens', async (options) => {
    for (const input of [POST, GET]) {
      const error = await failure(call(input, [], {}, options as never))
      expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path: '' }], requests: 0 })
    }
  })
})

describe('the caller gives up', () => {
  it('beforehand, or in onRequest: nothing is sent', async () => {
    const controller = new AbortController()
    const onRequest = () => controller.abort(new Error('mine'))
    for (const made of [
      call(POST, [json({})], {}, { signal: AbortSignal.abort(new Error('mine')) }),
      call(POST, [json({})], { onRequest }, { signal: controller.signal }),
    ]) {
      const expected = { code: 'connection', reason: 'aborted', cause: { message: 'mine' }, requests: 0 }
      expect(await failure(made)).toMatchObject(expected)
    }
  })

  it.each([
    ['a POST on its way: the outcome is unknown', POST, 'outcome_unknown'],
    ['a GET on its way: nothing can have changed, and no retry is wanted', GET, 'connection'],
  ])('%s', async (_name, input, code) => {
    const controller = new AbortController()
    const hang = () => {
      // Its reason says nothing of the connection.
      controller.abort(Object.assign(new Error('mine'), { code: 'ECONNREFUSED' }))
      return silence()
    }
    const retries: unknown[] = []
    const onRetry = (info: unknown) => retries.push(info)
    const error = await failure(call(input, [hang, json({})], { onRetry }, { signal: controller.signal }))
    expect(error).toMatchObject({ code, reason: 'aborted', requests: 1 })
    expect(retries).toEqual([])
  })

  it('after the time was over: it stays a timeout', async () => {
    const controller = new AbortController()
    // A fetch whose end makes the caller give up.
    const fetch = ({ init }: Sent) => {
      init.signal?.addEventListener('abort', () => controller.abort())
      return silence()
    }
    const { answer } = call(POST, [fetch], { timeoutMs: 40 }, { signal: controller.signal })
    expect(await rejection(answer)).toMatchObject({ code: 'outcome_unknown', reason: 'timeout' })
  })

  it('while waiting for another attempt', async () => {
    const controller = new AbortController()
    const onRetry = () => controller.abort()
    const late = json({}, 429, { 'retry-after': '50' })
    const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
    const error = await failure(call(POST, [late], { onRetry }, { signal: controller.signal }))
    expect(error).toMatchObject({ code: 'connection', reason: 'aborted', attempts: 1, requests: 1 })
    // No timer keeps the process alive.
    const cleared = clear.mock.calls.map(([timer]) => timer)
    expect(cleared).toEqual(expect.arrayContaining(set.mock.results.map(({ value }) => value)))
  })

  it('leaves no listener behind on a signal that lives long', async () => {
    const { signal } = new AbortController()
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    await call(GET, [json({}, 503), json({})], {}, { signal }).answer
    expect(add).toHaveBeenCalled()
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
  })
})
