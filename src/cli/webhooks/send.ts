import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { failureCause } from '../../emulator/webhooks/failure-cause.ts'
import { isSuccess } from '../terminal/activity-lines.ts'
import { textWithoutTokens } from '../terminal/event-text.ts'

export interface Reply {
  status: number | null
  text: string
  /** Why there was no response: `ECONNREFUSED 127.0.0.1:3000`. */
  error: string | null
  ms: number
  headers: [name: string, value: string][]
}

/** Milliseconds that a receiver has for its whole response. */
const TIMEOUT = 30_000
const KEPT = 64 * 1024
/** Headers of a connection, and the host: all others are sent on unchanged. */
const PER_CONNECTION =
  /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** Sends exactly these headers and this body: `fetch` would add some. Never rejects, and follows no redirect. */
export function sendRequest(
  url: string,
  method: string,
  headers: readonly [string, string][],
  body: Uint8Array,
  timeout = TIMEOUT,
): Promise<Reply> {
  const started = performance.now()
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve) => {
    let deadline: ReturnType<typeof setTimeout> | undefined
    const end = (reply: Partial<Reply>): void => {
      clearTimeout(deadline)
      const ms = Math.round(performance.now() - started)
      resolve({ status: null, text: '', error: null, headers: [], ms, ...reply })
    }
    const fail = (error: unknown): void => end({ error: failureCause(error, timeout) })
    const outgoing = request(url, { method, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        if (text.length < KEPT) text += part
      })
      const pairs = Object.entries(response.headersDistinct ?? response.headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      )
      response.on('end', () => end({ status: response.statusCode ?? 0, text, headers: pairs }))
      response.on('error', fail)
    })
    outgoing.on('error', fail)
    for (const [name, value] of headers) if (!PER_CONNECTION.test(name)) outgoing.appendHeader(name, value)
    if (body.length > 0 || !/^(GET|HEAD)$/.test(method)) outgoing.setHeader('content-length', body.length)
    outgoing.end(body)
    // Not the timeout of the socket: that counts idleness, and a receiver that sends byte after byte is never idle.
    deadline = setTimeout(() => {
      fail(new DOMException('', 'TimeoutError'))
      outgoing.destroy()
    }, timeout)
  })
}

/** A reply that can be shown: the emulator responds with the payment, and a receiver may repeat its input. */
export const shownReply = (reply: Reply): Reply => ({ ...reply, text: textWithoutTokens(reply.text) })

export function replyFields(reply: Reply): Record<string, unknown> {
  const { status, error, ms, text: response } = shownReply(reply)
  return { status, error, ms, response }
}

/** For people: `200 in 12 ms`, with the text of a failure. */
export function replyText(reply: Reply): string {
  const { status, text, error, ms } = shownReply(reply)
  if (status === null) return `failed: ${error}`
  const firstLine = text.trim().split('\n')[0]?.slice(0, 200) ?? ''
  return `${status} in ${ms} ms${isSuccess(status) || firstLine === '' ? '' : ` ${firstLine}`}`
}
