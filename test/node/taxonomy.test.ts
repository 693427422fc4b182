import { describe, expect, it } from 'vitest'
import { freePort } from './support/free-port.ts'
import { answer, type ReceivedRequest, startRawServer } from './support/raw-server.ts'
import { RUNTIMES, runOn } from './support/runtimes.ts'

function react({ body }: ReceivedRequest): string {
  if (body.includes('"silence"')) return ''
  if (body.includes('"html500"')) return answer(500, { 'content-type': 'text/html' }, '<h1>Oops</h1>')
  if (body.includes('"html200"')) return answer(200, { 'content-type': 'text/html' }, '<h1>Hello</h1>')
  if (body.includes('"cutOff"')) {
    return 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n0\r\n\r\n'
  }
  if (body.includes('"json400"')) {
    return answer(400, { 'content-type': 'application/json' }, '{"message":"bad","args":{"code":"V-1"}}')
  }
  return 'drop'
}

describe.each(RUNTIMES)('on %s', (runtime) => {
  it('every failure has the same name and code', async () => {
    const server = await startRawServer(react)
    const refusing = `http://127.0.0.1:${await freePort()}`
    const outcomes = await runOn<Record<string, unknown>>(runtime, 'taxonomy', { baseUrl: server.origin, refusing })
    const { environment, ...failures } = outcomes
    expect(failures).toMatchObject({
      config: { name: 'ConfigError', code: 'config' },
      input: { name: 'InvalidInputError', code: 'invalid_input' },
      // workerd has one text for refused and for reset: there nobody can know that nothing was sent.
      refusedPost: runtime.startsWith('workerd')
        ? { name: 'OutcomeUnknownError', code: 'outcome_unknown' }
        : { name: 'ConnectionError', code: 'connection', reason: 'unreachable' },
      refusedGet: { name: 'ConnectionError', code: 'connection' },
      abortedBefore: { name: 'ConnectionError', code: 'connection', reason: 'aborted' },
      timeoutPost: { name: 'OutcomeUnknownError', code: 'outcome_unknown', reason: 'timeout' },
      html500: { code: 'outcome_unknown', reason: 'server_error', status: 500 },
      html200: { code: 'outcome_unknown', reason: 'unreadable_response', status: 200 },
      cutOff: { code: 'outcome_unknown', reason: 'unreadable_response', status: 200 },
      json400: { name: 'ApiError', code: 'api', status: 400 },
      droppedGet: { name: 'ConnectionError', code: 'connection', reason: 'interrupted' },
    })
    // A GET is tried three times in all (Deno doubles each by itself, which changes nothing); no POST more than once.
    expect(server.received.filter(({ method }) => method === 'GET')).toHaveLength(runtime === 'deno' ? 6 : 3)
    expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(5)
    if (runtime === 'workerd 2026-08-03') expect(environment).toEqual({ process: 'undefined', Buffer: 'undefined' })
    expect(JSON.stringify(failures)).not.toMatch(/canary/)
  })
})
