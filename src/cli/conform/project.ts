import { createClient } from '../../client/client.ts'
import type { Client } from '../../client/client-methods.ts'
import type { ClientConfig, Fetch } from '../../config.ts'
import { newOrderId } from '../../helpers/order-id.ts'
import { RESPONSE_BYTES } from '../../lib/limits.ts'
import { readBytes } from '../../lib/read-bytes.ts'
import { decodeUtf8 } from '../../lib/utf8.ts'
import { parseJson } from '../json.ts'
import { type Answer, answerOf, type Exchange } from './answer.ts'
import type { Inbox } from './inbox.ts'
import type { MadeOrder, RunState } from './state.ts'
import { addUndocumented } from './undocumented.ts'

export type TestCard = { cc_number: string; exp_month: number; exp_year: number; card_cvv: string }

export interface ProjectSettings {
  /** The smallest amount that the project takes, in the currency's unit. */
  amount: number
  currency: string
  card?: TestCard | undefined
  subMerchant?: string | undefined
  webhooks?: { url: string; inbox: Inbox } | undefined
  /** Shows the page of a payment to a person, who pays there; then the run goes on. */
  payByHand?: ((url: string) => unknown) | undefined
  /** Called with the reason of a wait. */
  onWait?: ((says: string) => void) | undefined
  /** Waits, in milliseconds; ends early on an interruption. */
  pause(ms: number): Promise<void>
}

/** How long a call may take before the user is notified, and how often a limited call is repeated. */
const [WAIT_MS, LIMIT_TRIES] = [5_000, 5]
const SILENCE = `the service has not responded for ${WAIT_MS / 1_000} s`

/** The service as the stories see it: every order is written down before it is made. */
export interface Project extends ProjectSettings {
  /** With the authentication that works. */
  readonly client: Client
  clientWith(change: Partial<ClientConfig>): Client
  /** Makes a call. @throws on an interruption. */
  ask<T>(call: (options: { signal: AbortSignal }) => Promise<T>): Promise<Answer<T>>
  /** Writes down an order that is about to be made, with the amount that is sent. */
  newOrder(what: MadeOrder['what'], amount?: number, length?: number): Promise<string>
  readonly state: RunState
  readonly secret: string
}

/** Opens the project of a configuration. `save` resolves when the state is safe. */
export function openProject(
  { config, signal, ...settings }: ProjectSettings & { config: ClientConfig; signal: AbortSignal },
  state: RunState,
  save: () => Promise<void>,
): Project {
  const recorder = createRecorder(config, (operation, body) => addUndocumented(state.undocumented, operation, body))
  const clientWith = (change: Partial<ClientConfig>): Client => createClient({ ...recorder.config, ...change })
  return {
    ...settings,
    state,
    secret: config.apiSecret,
    clientWith,
    get client() {
      return clientWith({ authentication: state.authentication ?? config.authentication })
    },
    async ask(call) {
      signal.throwIfAborted()
      for (let tried = 0; ; tried++) {
        const at = Date.now()
        recorder.last = {}
        const timer = setTimeout(() => settings.onWait?.(SILENCE), WAIT_MS)
        try {
          const value = await call({ signal })
          const { status, body } = recorder.last
          return { verdict: 'accepted', value, at, status, body, says: `HTTP ${status}` }
        } catch (error) {
          signal.throwIfAborted()
          const answer = answerOf(error, at, recorder.last)
          // A 429 is not processed, so that any call may be repeated.
          if (answer.status !== 429 || tried >= LIMIT_TRIES) return answer
          settings.onWait?.('the service responds 429: it takes fewer calls at a time')
          await settings.pause(500 * 2 ** tried)
        } finally {
          clearTimeout(timer)
        }
      }
    },
    async newOrder(what, amount = settings.amount, length = 0) {
      const order_id = newOrderId('conform-').padEnd(length, 'x')
      state.made.push({ order_id, what, amount, currency: settings.currency, at: Date.now() })
      await save()
      return order_id
    },
  }
}

/** A configuration that keeps the last response, and passes on the JSON of each 2xx. */
function createRecorder(config: ClientConfig, onJson: (operation: string, body: unknown) => void) {
  let operation = ''
  const send: Fetch = config.fetch ?? ((input, init) => globalThis.fetch(input, init))
  const recorder = {
    last: {} as Exchange,
    config: {
      ...config,
      maxRetries: 1,
      onWarning: () => {},
      onRequest: (info) => {
        operation = info.operation
        config.onRequest?.(info)
      },
      // A response is read whole before the SDK reads it.
      async fetch(input, init) {
        const response = await send(input, init)
        const { status } = response
        const bytes = await readBytes(response, RESPONSE_BYTES)
        if (!bytes) throw new Error(`The response is larger than ${RESPONSE_BYTES} bytes.`)
        const text = decodeUtf8(bytes)
        const body = parseJson(text)
        const location = response.headers.get('location') ?? undefined
        recorder.last = { status, body, page: /^\s*</.test(text ?? ''), location }
        if (response.ok && operation !== 'rawRequest') onJson(operation, body)
        const headers = new Headers(response.headers)
        // The body is decoded by now.
        for (const name of ['content-encoding', 'content-length']) headers.delete(name)
        return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), { status, headers })
      },
    } satisfies ClientConfig,
  }
  return recorder
}
