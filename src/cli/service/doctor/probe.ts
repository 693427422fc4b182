import { createClient } from '../../../client/client.ts'
import type { Client } from '../../../client/client-methods.ts'
import type { ClientConfig } from '../../../config.ts'
import { isApiError, isConnectionError, isUnexpectedResponseError } from '../../../errors.ts'
import { newOrderId } from '../../../helpers/order-id.ts'
import { causeOf } from '../outcome.ts'

export interface Probe {
  /** `accepted`: the credentials were. A 404 is that too: the order that is asked for does not exist. */
  verdict: 'accepted' | 'rejected' | 'unknown'
  /** Of the response; undefined without one. */
  status?: number
  /** The service's reason for a rejection, or why it cannot be decided. */
  why?: string
  unreachable?: boolean
}

/** The calls that `doctor` makes. They are GETs, and none names an order that exists. */
export interface Probes {
  /** A re-sent webhook with the HMAC scheme. */
  hmac: Probe
  /** The same with the plain scheme, and the list of an order's operations (beyond the API document). */
  plain: Probe
  list: Probe
  /** The balances, plain and without the endpoints key; undefined without `apiUrl`. */
  balances: Probe | undefined
  /** `Date` of each response with this machine's time when it came, in milliseconds. */
  dates: { service: number; here: number }[]
}

/** Probes the service, without changing anything. */
export async function probeService(config: ClientConfig, signal: AbortSignal): Promise<Probes> {
  const dates: Probes['dates'] = []
  const send = config.fetch ?? globalThis.fetch
  const withDates: ClientConfig = {
    ...config,
    maxRetries: 1,
    async fetch(input, init) {
      const response = await send(input, init)
      const service = Date.parse(response.headers.get('date') ?? '')
      if (!Number.isNaN(service)) dates.push({ service, here: Date.now() })
      return response
    },
  }
  const clientOf = (authentication: 'per-endpoint' | 'plain') => createClient({ ...withDates, authentication })
  const order_id = newOrderId('doctor-')
  const resend = (client: Client) => client.resendWebhook({ order_id, operation: 'purchase' }, { signal })
  const plainly = clientOf('plain')
  const [hmac, plain, list, balances] = await Promise.all([
    verdictOf(resend(clientOf('per-endpoint'))),
    verdictOf(resend(plainly)),
    verdictOf(plainly.listOrderOperations({ order_id }, { signal })),
    config.apiUrl === undefined ? undefined : verdictOf(plainly.listAccounts({}, { signal })),
  ])
  return { hmac, plain, list, balances, dates }
}

async function verdictOf(call: Promise<unknown>): Promise<Probe> {
  try {
    await call
    return { verdict: 'accepted', status: 200 }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const why = error.message
    if (isConnectionError(error))
      return { verdict: 'unknown', why: `${why} (${causeOf(error.cause)})`, unreachable: true }
    if (isUnexpectedResponseError(error)) return { verdict: 'unknown', status: error.status, why }
    if (!isApiError(error)) throw error
    const { status, apiMessage = why } = error
    if (status === 401 || status === 403) return { verdict: 'rejected', status, why: apiMessage }
    return status === 404 ? { verdict: 'accepted', status } : { verdict: 'unknown', status, why }
  }
}
