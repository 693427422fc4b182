import { DRAINED_BYTES } from '../../lib/limits.ts'
import { drained, readBytes } from '../../lib/read-bytes.ts'
import { decodeUtf8 } from '../../lib/utf8.ts'
import { createWebhookHandler, type WebhookEvent, type WebhookVerificationError } from '../../webhooks/index.ts'
import { checkSecrets } from '../../webhooks/signature.ts'
import { eventLine } from '../terminal/event-text.ts'
import { bodyText, saveReceived } from './received.ts'
import { type Reply, sendRequest } from './send.ts'
import { causesText } from './verify/causes.ts'
import type { NamedSecret } from './verify/diagnose.ts'
import { verifyBody } from './verify/verify.ts'

export interface Heard {
  at: string
  method: string
  path: string
  /** The status of this package's receiver: 200 for a genuine webhook. */
  status: number
  summary: string
  event?: WebhookEvent
  /** For a rejected webhook: the receiver's reason, and the finding of `edgetill verify`. */
  reason?: string
  causes?: string[]
  saved?: string
  reply?: Reply
}

export interface ListenerOptions {
  secrets: readonly NamedSecret[]
  forwardTo?: string | undefined
  save?: string | undefined
  /** Receives each request twice: when it was judged, and when it was forwarded. */
  onHeard(heard: Heard): void
  onForwarded(heard: Heard): void
}

/** Bytes of a body at most: more than any receiver takes. */
const LIMIT = 1024 * 1024

/** A receiver that prints, keeps and forwards each webhook. It returns the response of the receiver behind it. */
export function createListener(options: ListenerOptions): (request: Request) => Promise<Response> {
  const { secrets, forwardTo, save } = options
  checkSecrets(secrets.map(({ value }) => value))
  let count = 0
  /** Reports a request that is not forwarded. */
  const report = (heard: Heard): void => {
    options.onHeard(heard)
    if (forwardTo !== undefined) options.onForwarded(heard)
  }
  return async (request) => {
    const at = new Date().toISOString()
    const { method, url } = request
    const { pathname, search } = new URL(url)
    const headers = [...request.headers]
    const bytes = await readBytes(request, LIMIT, drained(DRAINED_BYTES))
    if (!bytes) {
      const summary = `rejected: longer than ${LIMIT} bytes`
      report({ at, method, path: pathname, status: 413, summary, reason: 'too_large', causes: [] })
      return new Response('Too large', { status: 413 })
    }
    const body = new Uint8Array(bytes)
    const { response, ...judged } = await judge(request, body, secrets)
    const heard: Heard = { at, method, path: pathname + search, ...judged }
    const { summary } = heard
    if (save !== undefined && method === 'POST') {
      const received = { received_at: at, method, url, forwarded_to: forwardTo ?? null, headers, summary }
      try {
        heard.saved = await saveReceived(save, { ...received, ...bodyText(body) }, ++count)
      } catch (error) {
        // Respond like a receiver whose storage failed, so that the sender retries.
        report({ ...heard, status: 500, summary: `${summary} (cannot be kept: ${(error as Error).message})` })
        return new Response(null, { status: 500 })
      }
    }
    if (forwardTo === undefined) {
      report(heard)
      return response
    }
    options.onHeard(heard)
    heard.reply = await sendRequest(forwardTo, method, headers, body)
    options.onForwarded(heard)
    return responseOf(heard.reply)
  }
}

/** Whether a request is a genuine webhook, as `createWebhookHandler` sees it, and in words. */
async function judge({ method, headers }: Request, body: Uint8Array<ArrayBuffer>, secrets: readonly NamedSecret[]) {
  // The service checks the address before it sends webhooks there.
  if (method === 'GET' || method === 'HEAD') return { status: 200, summary: 'not a webhook', response: new Response() }
  let event: WebhookEvent | undefined
  let rejection: Partial<WebhookVerificationError> = {}
  const handle = createWebhookHandler({
    secrets: secrets.map(({ value }) => value),
    maxBytes: LIMIT,
    onEvent: (one) => {
      event = one
    },
    onUnreadable: () => {},
    onRejected: (error) => {
      rejection = error as WebhookVerificationError
    },
  })
  const response = await handle(new Request('http://listen/', { method, headers, body }))
  const { status } = response
  const { reason = 'unreadable', message = '' } = rejection
  if (event !== undefined) return { status, summary: eventLine(event), event, response }
  if (![200, 400, 401].includes(status)) {
    const summary = `rejected: ${message.replace(/^Webhook rejected: /, '')}`
    return { status, summary, reason, causes: [], response }
  }
  const verdict = verifyBody(decodeUtf8(body), secrets)
  const { explanation = '' } = verdict
  if (verdict.valid) return { status, summary: `genuine, but it cannot be read: ${explanation}`, response }
  const { causes } = verdict
  return { status, summary: `rejected (${causesText(causes)}): ${explanation}`, reason, causes, response }
}

function responseOf({ status, text, headers }: Reply): Response {
  if (status === null) return new Response('The receiver is not reachable', { status: 502 })
  const type = headers.find(([name]) => name === 'content-type')?.[1]
  const body = [101, 204, 205, 304].includes(status) ? null : text
  return new Response(body, { status, headers: type === undefined ? {} : { 'content-type': type } })
}
