import type { ClientConfig } from '../../src/index.ts'

/** A configuration whose every credential is recognisable. */
export const CONFIG = {
  baseUrl: 'https://pay.example.com',
  apiUrl: 'https://api.example.com',
  posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  apiKey: 'api-key-1',
  apiSecret: 'api-secret-1',
  endpointsKey: 'endpoints-key-1',
  scheme: 'SVC',
} as const satisfies ClientConfig

/** One request as it was given to `fetch`. */
export interface Sent {
  url: string
  method: string
  /** With the capitals that were written. */
  headers: Record<string, string>
  /** The body's text; undefined when there was no body. */
  body: string | undefined
  init: RequestInit
}

type Reply = Response | Error | ((request: Sent) => Response | Promise<Response>)

/** A `fetch` that records what it is given and answers the replies in turn; one request more fails the test's count. */
export function wire(...replies: Reply[]): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = []
  const answer = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const body = init.body === undefined ? undefined : await new Blob([init.body as Blob]).text()
    const headers = init.headers as Record<string, string>
    const request = { url: String(url), method: init.method ?? '', headers, body, init }
    sent.push(request)
    const reply = replies[sent.length - 1]
    if (reply === undefined) throw new Error(`Request ${sent.length} was not expected.`)
    if (reply instanceof Error) throw reply
    return typeof reply === 'function' ? reply(request) : reply
  }
  return { fetch: answer as typeof fetch, sent }
}

/** A JSON answer. */
export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } })

/** Answers with a record that repeats what was asked for, as the service does. */
export const echo =
  (record: object) =>
  ({ body }: Sent): Response => {
    const sent = JSON.parse(body ?? '{}') as Record<string, unknown>
    const { order_id, method, amount = sent.charge_amount ?? sent.refund_amount } = sent
    const asked = { ...(method !== undefined && { method }), ...(amount !== undefined && { amount }) }
    return json({ ...record, order_id, ...asked })
  }

/** The redirect to the checkout page, as the document shows it. */
export const CHECKOUT_URL = 'https://pay.example.com/api/v1/checkout/7d1f/form'
export const redirect = (location: string | undefined = CHECKOUT_URL, status = 303): Response =>
  new Response(null, { status, headers: location === undefined ? {} : { location } })

/** A fetch that never answers, and ignores its signal as a bad one would. */
export const silence = (): Promise<Response> => new Promise(() => {})

/** The error of a rejected promise; fails when it was not rejected. */
export const rejection = (promise: Promise<unknown>): Promise<Record<string, unknown> & Error> =>
  promise.then(
    (value) => Promise.reject(new Error(`It was not rejected, but resolved with ${JSON.stringify(value)}.`)),
    (error) => error,
  )
