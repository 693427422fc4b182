import { type ServedEmulator, serveEmulator } from '../../../src/cli/service/serve-emulator.ts'
import { testCard } from '../../../src/emulator/index.ts'
import type { OperationName } from '../../../src/emulator/spec/endpoints.ts'
import { type Client, createClient, isApiError, type WebhookEvent } from '../../../src/index.ts'
import { HOSTED } from '../../support/inputs.ts'
import { CANARIES } from './command.ts'

// Each verb that talks to the service, with an order that it can work on.

const CREDENTIALS = {
  posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  apiKey: CANARIES.EDGETILL_API_KEY,
  apiSecret: CANARIES.EDGETILL_API_SECRET,
  endpointsKey: CANARIES.EDGETILL_ENDPOINTS_KEY,
}

/** An emulator on loopback, with the variables that lead a verb to it. */
export interface Service extends ServedEmulator {
  env: Readonly<Record<string, string>>
  /** A client that reaches it without a socket. */
  client: Client
  /** Pays on a checkout page. */
  pay(form: string): Promise<void>
}

export async function serveService(): Promise<Service> {
  const served = await serveEmulator({}, { credentials: CREDENTIALS, authentication: 'per-endpoint', seed: 3 })
  const { fetch, credentials } = served.emulator
  const { baseUrl, apiUrl, posId } = credentials
  return {
    ...served,
    env: {
      EDGETILL_BASE_URL: baseUrl,
      EDGETILL_API_URL: apiUrl,
      EDGETILL_POS_ID: posId,
      EDGETILL_SCHEME: 'SVC',
      ...CANARIES,
    },
    client: createClient({ ...credentials, fetch: fetch as typeof globalThis.fetch, maxRetries: 0 }),
    async pay(form) {
      const fields = { cc_number: testCard('success'), exp_month: '9', exp_year: '99', card_cvv: '123' }
      await fetch(form.trim(), { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
    },
  }
}

/** One use of a verb. */
export interface Use {
  words: string[]
  /** Whether the service has done it; undefined where the verb changes nothing. */
  isDone?: () => Promise<boolean>
}

export interface ServiceVerb {
  endpoint: OperationName
  prepare(service: Service): Promise<Use>
}

const ID = 'A-1'

async function make({ client, pay }: Service, method: 'purchase' | 'auth', more: object = {}): Promise<void> {
  const order = { ...HOSTED, order_id: ID, amount: 100.5, currency: 'UAH', server_url: undefined, method, ...more }
  const { url } = (await client.createPayment(order as typeof HOSTED)) as { url: string }
  await pay(url)
}

async function operationsOf({ client }: Service): Promise<WebhookEvent[]> {
  return client.listOrderOperations({ order_id: ID }).catch((error: unknown) => {
    if (isApiError(error) && error.status === 404) return []
    throw error
  })
}

/** A verb that makes an operation of its name. */
function operation(name: 'capture' | 'refund' | 'void', method: 'purchase' | 'auth', ...more: string[]): ServiceVerb {
  return {
    endpoint: `${name}-payment`,
    async prepare(service) {
      await make(service, method)
      const isDone = async () =>
        (await operationsOf(service)).some(({ kind, record }) => kind === name && record.status !== 'failure')
      return { words: [name, ID, '--yes', ...more], isDone }
    },
  }
}

function reading(endpoint: OperationName, ...words: string[]): ServiceVerb {
  return {
    endpoint,
    async prepare(service) {
      await make(service, 'purchase')
      return { words }
    },
  }
}

const MONTHLY = { init_recurring: { interval_unit: 'month', interval_count: 1 } }

export const SERVICE_VERBS = {
  order: reading('list-order-operations', 'order', ID),
  balances: reading('list-accounts', 'balances'),
  resend: reading('resend-webhook', 'resend', ID),
  payment: {
    endpoint: 'create-payment',
    async prepare(service) {
      const isDone = async () => (await operationsOf(service)).length > 0
      return { words: ['payment', ID, '--amount', '5', '--currency', 'UAH'], isDone }
    },
  },
  capture: operation('capture', 'auth', '--amount', '1'),
  refund: operation('refund', 'purchase', '--amount', '1'),
  void: operation('void', 'auth'),
  cancel: {
    endpoint: 'cancel-payment',
    async prepare(service) {
      await service.client.createPayment({ ...HOSTED, order_id: ID })
      const isDone = async () => (await operationsOf(service)).some(({ record }) => record.status_code === '6007')
      return { words: ['cancel', ID, '--yes'], isDone }
    },
  },
  'recurring-cancel': {
    endpoint: 'cancel-recurring',
    async prepare(service) {
      await make(service, 'purchase', MONTHLY)
      const recurring = async () => {
        const { record } = await service.client.resendWebhook({ order_id: ID, operation: 'purchase' })
        return record.recurring as { id: string; status: string }
      }
      const { id } = await recurring()
      const isDone = async () => (await recurring()).status === 'canceled'
      return { words: ['recurring-cancel', id, '--yes'], isDone }
    },
  },
} satisfies Record<string, ServiceVerb>

export type ServiceVerbName = keyof typeof SERVICE_VERBS
export const SERVICE_VERB_NAMES = Object.keys(SERVICE_VERBS) as ServiceVerbName[]
