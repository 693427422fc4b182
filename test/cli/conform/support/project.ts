import { type ConformOptions, conform, createInbox } from '../../../../src/cli/conform/index.ts'
import type { ConformReport } from '../../../../src/cli/conform/report.ts'
import { createEmulator, type EmulatorOptions, testCard } from '../../../../src/emulator/index.ts'
import { SUB_MERCHANTS } from '../../../support/inputs.ts'

/** A request of a probe, as a rule sees it. */
export interface Probe {
  method: string
  /** Without the parts that differ from run to run. */
  path: string
  order_id: string
  body: Record<string, unknown>
}

/** Changes what arrives as a webhook; undefined for nothing. */
export type Deliver = (request: Request, body: string, count: number) => Request | undefined

/** Changes what the service responds; undefined leaves it as it is. `real` asks the emulator, behind the other rules. */
export type Rule = (probe: Probe, real: () => Promise<Response>) => Promise<Response | undefined> | Response | undefined

/** A 2xx with its JSON changed. */
export async function changed(real: Promise<Response>, change: (json: never) => unknown): Promise<Response> {
  const response = await real
  if (response.status !== 200) return response
  return Response.json(change((await response.json()) as never), { status: 200 })
}

/** Keeps a state as a file would: as JSON. */
function memory(): ConformOptions['store'] & { text: string | undefined; kept: string[] } {
  const store = {
    text: undefined as string | undefined,
    /** Every state that it has kept. */
    kept: [] as string[],
    load: async () => (store.text === undefined ? undefined : JSON.parse(store.text)),
    async save(state: unknown) {
      store.text = state === undefined ? undefined : JSON.stringify(state)
      store.kept.push(store.text ?? '')
    },
  }
  return store
}

/** An emulator with some rules changed by hand, and what `conform` needs to try everything against it. */
export function openConform(
  options: EmulatorOptions = {},
  rules: readonly Rule[] = [],
  deliver: Deliver = (one) => one,
) {
  // Whoever waits for a webhook waits until none is under way.
  const pause = async (ms: number) => (ms < 30_000 ? undefined : await emulator.deliveries.idle())
  let count = 0
  const inbox: { handle?: (request: Request) => Promise<Response> } = {}
  const emulator = createEmulator({
    fetch: async (url, init) => {
      const request = deliver(new Request(url, init), String(init.body), ++count)
      return (request && (await inbox.handle?.(request))) ?? new Response()
    },
    ...options,
  })
  const received = createInbox(emulator.credentials.apiSecret, pause)
  inbox.handle = received.handle
  const store = memory()
  const probes: Probe[] = []
  const fetch: ConformOptions['config']['fetch'] = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const text = await request.clone().text()
    const body = text === '' ? {} : JSON.parse(text)
    const order_id = String(body.order_id ?? /\/orders?\/([^/]+)/.exec(url.pathname)?.[1])
    const path = url.pathname.replace(emulator.credentials.posId, '{pos}').replace(order_id, '{order}')
    const probe = { method: request.method, path, order_id, body }
    probes.push(probe)
    const real = async () => await emulator.fetch(request)
    const all = rules.reduce<() => Promise<Response>>(
      (next, rule) => async () => (await rule(probe, next)) ?? (await next()),
      real,
    )
    return await all()
  }
  const given: ConformOptions = {
    config: { ...emulator.credentials, fetch },
    project: 'test',
    amount: 0.01,
    currency: 'UAH',
    card: { cc_number: testCard('success'), exp_month: 12, exp_year: 2099, card_cvv: '123' },
    subMerchant: SUB_MERCHANTS[0],
    webhooks: { url: 'https://shop.example.com/webhooks', inbox: received },
    store,
    pause,
    signal: new AbortController().signal,
  }
  const run = (other: Partial<ConformOptions> = {}) => conform({ ...given, ...other })
  return { emulator, store, probes, given, run }
}

/** The ids of the statements with a result. */
export const idsOf = (report: ConformReport | undefined, result: string): string[] | undefined =>
  report?.statements.filter((one) => one.result === result).map(({ id }) => id)

export const rejected = (status = 400): Response => Response.json({ message: 'no', args: { code: 'X-1' } }, { status })

/** A rule that rejects some requests. */
export const rejecting =
  (is: (probe: Probe) => unknown, status?: number): Rule =>
  (probe) =>
    is(probe) ? rejected(status) : undefined

export const checkout = (location = 'http://emulator.localhost/api/v1/checkout/1/form'): Response =>
  new Response(null, { status: 303, headers: { location } })

/** Sends the customer to a checkout at another origin. */
export const elsewhere: Rule = async (_, real) => {
  const response = await real()
  return response.status === 303 ? checkout('https://checkout.example.com/pay/1') : response
}

export const isCreation = ({ path }: Probe): boolean => path === '/api/v1/payment'

/** Whether it asks for the operations of an order. */
export const lists = ({ method, path }: Probe): boolean =>
  method === 'GET' && path === '/api/v1/pos/{pos}/orders/{order}'

/** A time in UTC, two hours on. */
export const inKyiv = (time: string): string =>
  new Date(Date.parse(`${time}Z`) + 2 * 3_600_000).toISOString().slice(0, -1)
