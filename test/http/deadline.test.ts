import { describe, expect, it, vi } from 'vitest'
import { call, GET, POST } from '../support/call.ts'
import { json, rejection, type Sent, silence } from '../support/mock-fetch.ts'

describe('time limits', () => {
  it('a POST that times out may have been executed', async () => {
    const { answer, sent } = call(POST, [silence], { timeoutMs: 5 })
    expect(await rejection(answer)).toMatchObject({ code: 'outcome_unknown', reason: 'timeout' })
    expect(sent).toHaveLength(1)
    expect(sent[0]?.init.signal?.aborted).toBe(true)
  })

  it('a GET that times out is tried again, then given up as a connection failure', async () => {
    const { answer, sent } = call(GET, [silence, silence, silence], { timeoutMs: 5 })
    expect(await rejection(answer)).toMatchObject({ code: 'connection', reason: 'timeout', attempts: 3 })
    expect(sent).toHaveLength(3)
  })

  it('covers the body too: headers alone are not a response', async () => {
    const stalled = () => new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array([0x7b])) }))
    expect(await rejection(call(POST, [stalled()], { timeoutMs: 5 }).answer)).toMatchObject({
      code: 'outcome_unknown',
      reason: 'timeout',
      status: 200,
    })
    const refused = new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array([0x7b])) }), {
      status: 400,
    })
    expect(await rejection(call(POST, [refused], { timeoutMs: 5 }).answer)).toMatchObject({ code: 'api', status: 400 })
  })

  it('of one millisecond, the least, lets the request be sent', async () => {
    // The millisecond does not pass.
    const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation((() => 0) as never)
    try {
      const { answer, sent } = call(POST, [json({ ok: 1 })], {}, { timeoutMs: 1 })
      expect(await answer).toMatchObject({ body: { ok: 1 } })
      expect(sent).toHaveLength(1)
    } finally {
      timer.mockRestore()
    }
  })

  it('the option of a call wins over the configuration', async () => {
    const { answer } = call(POST, [silence], { timeoutMs: 60_000 }, { timeoutMs: 5 })
    expect(await rejection(answer)).toMatchObject({ reason: 'timeout' })
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5'])('rejects %s', async (timeoutMs) => {
    const { answer, sent } = call(POST, [], {}, { timeoutMs: timeoutMs as number })
    expect(await rejection(answer)).toMatchObject({ code: 'invalid_input', issues: [{ path: 'timeoutMs' }] })
    expect(sent).toEqual([])
  })

  it.each([
    { timeoutMs: 1 },
    { timeoutMs: 2 ** 31 - 1 },
    { deadlineMs: 1 },
    { deadlineMs: 2 ** 31 - 1 },
    { maxRetries: 0 },
    { maxRetries: 10 },
    { signal: null },
  ])('takes %j', async (options) => {
    // A response that is there already is in time; one that is late would be a timeout, not an invalid input.
    const { answer } = call(POST, [json({})], {}, options as never)
    expect(await answer.catch(({ reason }) => reason)).not.toBe(undefined)
  })

  it.each([undefined, null])('of a call: %s leaves the configured one', async (timeoutMs) => {
    const { answer } = call(POST, [silence], { timeoutMs: 5 }, { timeoutMs: timeoutMs as undefined })
    expect(await rejection(answer)).toMatchObject({ reason: 'timeout' })
  })
})

describe('the deadline of a whole call', () => {
  it('ends the retries of a GET: no attempt begins that cannot end in time', async () => {
    const startedAt = Date.now()
    const { answer, sent } = call(GET, Array(9).fill(silence), { timeoutMs: 20, deadlineMs: 50, maxRetries: 8 })
    expect(await rejection(answer)).toMatchObject({ code: 'connection', reason: 'timeout' })
    expect(Date.now() - startedAt).toBeLessThan(1000)
    expect(sent.length).toBeLessThan(5)
  })

  it('cuts the time of an attempt', async () => {
    const { answer } = call(POST, [silence], { deadlineMs: 5 })
    expect(await rejection(answer)).toMatchObject({ code: 'outcome_unknown', reason: 'timeout' })
  })

  it('a pause that is longer ends the call at once, with what the service said', async () => {
    const { answer, sent } = call(POST, [json({}, 429, { 'retry-after': '30' })], { deadlineMs: 20_000 })
    expect(await rejection(answer)).toMatchObject({ code: 'api', status: 429, retryAfterMs: 30_000 })
    expect(sent).toHaveLength(1)
  })

  it('that has passed when a pause ends lets nothing more be sent: a POST would end with an unknown outcome', async () => {
    // The pause is exactly as long as what is left, but for the time that the first attempt took.
    const limited = { deadlineMs: 1_000, random: () => 0 }
    const clock = vi.spyOn(Date, 'now')
    try {
      const startedAt = Date.now()
      let late = 0
      clock.mockImplementation(() => startedAt + late)
      const onRetry = () => {
        late = 1_000
      }
      const { answer, sent } = call(POST, [json({}, 429, { 'retry-after': '0' }), silence], { ...limited, onRetry })
      expect(await rejection(answer)).toMatchObject({ code: 'connection', reason: 'timeout', attempts: 1 })
      expect(sent).toHaveLength(1)
    } finally {
      clock.mockRestore()
    }
  })

  it('the option of a call wins over the configuration, for the retries too', async () => {
    const late = call(POST, [silence], { deadlineMs: 60_000 }, { deadlineMs: 5 })
    expect(await rejection(late.answer)).toMatchObject({ reason: 'timeout' })
    const once = call(GET, [json({}, 503)], { maxRetries: 5 }, { maxRetries: 0 })
    expect(await rejection(once.answer)).toMatchObject({ code: 'api', status: 503, attempts: 1 })
  })

  it.each([{ deadlineMs: 0 }, { deadlineMs: '5' }, { deadlineMs: 2 ** 31 }, { maxRetries: 11 }, { maxRetries: -1 }])(
    'rejects %j',
    async (options) => {
      const { answer, sent } = call(POST, [], {}, options as never)
      expect(await rejection(answer)).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: Object.keys(options)[0] }],
      })
      expect(sent).toEqual([])
    },
  )
})

describe('options that are none', () => {
  it.each([null, 5, 'x', []])('%j is rejected before anything happens', async (options) => {
    for (const input of [POST, GET]) {
      const { answer, sent } = call(input, [], {}, options as never)
      expect(await rejection(answer)).toMatchObject({ code: 'invalid_input', issues: [{ path: '' }] })
      expect(sent).toEqual([])
    }
  })
})

describe('the caller gives up', () => {
  it.each([new AbortController(), {}, true, { aborted: false }])(
    'a signal that is not one is rejected before anything happens: %j',
    async (signal) => {
      const { answer, sent } = call(POST, [], {}, { signal: signal as AbortSignal })
      const error = await rejection(answer)
      expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path: 'signal' }] })
      expect(error.message).toMatch(/AbortController/)
      expect(sent).toEqual([])
    },
  )

  it('in onRequest: nothing is sent', async () => {
    const controller = new AbortController()
    const onRequest = () => controller.abort()
    const { answer, sent } = call(POST, [json({})], { onRequest }, { signal: controller.signal })
    expect(await rejection(answer)).toMatchObject({ code: 'connection', reason: 'aborted' })
    expect(sent).toEqual([])
  })

  it('beforehand: nothing is sent', async () => {
    const { answer, sent } = call(POST, [json({})], {}, { signal: AbortSignal.abort(new Error('mine')) })
    const error = await rejection(answer)
    expect(error).toMatchObject({ code: 'connection', reason: 'aborted' })
    expect(error.cause).toMatchObject({ message: 'mine' })
    expect(sent).toEqual([])
  })

  it('a POST on its way: the outcome is unknown; a GET: nothing can have changed, and no retry is wanted', async () => {
    for (const [input, code] of [
      [POST, 'outcome_unknown'],
      [GET, 'connection'],
    ] as const) {
      const controller = new AbortController()
      const hang = () => {
        controller.abort()
        return silence()
      }
      const retries: unknown[] = []
      const onRetry = (info: unknown) => retries.push(info)
      const { answer, sent } = call(input, [hang, json({})], { onRetry }, { signal: controller.signal })
      expect(await rejection(answer)).toMatchObject({ code, reason: 'aborted' })
      expect(retries).toEqual([])
      expect(sent).toHaveLength(1)
    }
  })

  it('after the time was over: it stays a timeout', async () => {
    const controller = new AbortController()
    // A fetch whose end makes the caller give up.
    const fetch = ({ init }: Sent) => {
      init.signal?.addEventListener('abort', () => controller.abort())
      return silence()
    }
    const { answer } = call(POST, [fetch], { timeoutMs: 5 }, { signal: controller.signal })
    expect(await rejection(answer)).toMatchObject({ code: 'outcome_unknown', reason: 'timeout' })
  })

  it('while waiting for another attempt', async () => {
    const controller = new AbortController()
    const { answer, sent } = call(
      POST,
      [json({}, 429, { 'retry-after': '50' })],
      { onRetry: () => controller.abort() },
      { signal: controller.signal },
    )
    expect(await rejection(answer)).toMatchObject({ code: 'connection', reason: 'aborted', attempts: 1 })
    expect(sent).toHaveLength(1)
  })

  it('leaves no listener behind on a signal that lives long', async () => {
    const controller = new AbortController()
    const { signal } = controller
    let listeners = 0
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners += 1
      add(...args)
    }) as typeof signal.addEventListener
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners -= 1
      remove(...args)
    }) as typeof signal.removeEventListener
    await call(GET, [json({}, 503), json({})], {}, { signal }).answer
    expect(listeners).toBe(0)
  })
})
