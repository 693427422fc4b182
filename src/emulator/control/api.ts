import type { Fault } from '../faults/faults.ts'
import { messagePage } from '../pages/outcome.ts'
import type { OtherPayment } from './actions.ts'
import type { EmulatorControls } from './emulator-controls.ts'

type Body = Record<string, unknown>
type Command = (emulator: EmulatorControls, body: Body) => unknown

const DURATION = ['ms', 'seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years'] as const

/** What can be posted to `/_emulator/api/<name>`. */
const COMMANDS: Record<string, Command> = {
  clock: async ({ clock }, body) => {
    const given = DURATION.filter((unit) => body[unit] !== undefined)
    const wrong = Object.keys(body).find((unit) => unit !== 'return_to' && !given.some((one) => one === unit))
    if (wrong !== undefined) throw new TypeError(`Unknown time unit "${wrong}"; use ${DURATION.join(', ')}.`)
    await clock.advance(Object.fromEntries(given.map((unit) => [unit, number(body, unit)])))
    return { now: clock.now() }
  },
  faults: ({ faults }, body) => {
    if (body.clear !== undefined) faults.clear()
    if (body.next !== undefined) faults.next(fault(body.next), body.times === undefined ? 1 : number(body, 'times'))
    if (body.rate !== undefined) faults.rate(fault(body.rate), number(body, 'probability'))
    return faults.list()
  },
  resend: ({ deliveries }, body) => deliveries.resend(text(body, 'id')),
  void: ({ control }, body) => control.voidPayment(text(body, 'order_id')),
  refund: ({ control }, body) => control.refundPayment(text(body, 'order_id'), amount(body)),
  auth_increment: ({ control }, body) => control.incrementAuth(text(body, 'order_id'), number(body, 'amount')),
  cancel_recurring: ({ control }, body) => {
    control.cancelRecurring(text(body, 'order_id'))
    return { status: 'canceled' }
  },
  payment: ({ control }, body) => {
    const method = text(body, 'method')
    if (!['credit', 'p2p', 'lookup'].includes(method)) throw new TypeError('method must be credit, p2p or lookup.')
    return control.createPayment({ ...body, amount: number(body, 'amount') } as unknown as OtherPayment)
  },
  reset: (emulator) => {
    emulator.reset()
    return { reset: true }
  },
}

/** What can be read at `/_emulator/api/<name>`. */
const READINGS: Record<string, (emulator: EmulatorControls, orderId: string | null) => unknown> = {
  credentials: ({ credentials }) => credentials,
  clock: ({ clock }) => ({ now: clock.now() }),
  faults: ({ faults }) => faults.list(),
  orders: ({ orders }, orderId) => (orderId === null ? orders.list() : (orders.get(orderId) ?? null)),
  requests: ({ requests }, orderId) => requests.filter(({ order_id }) => orderId === null || order_id === orderId),
  deliveries: ({ deliveries }, orderId) =>
    deliveries.filter((delivery) => orderId === null || delivery.order_id === orderId),
}

/**
 * `GET` and `POST /_emulator/api/<name>`: JSON in and out. A form may post as well; it is sent back to the page it came from.
 * None of this belongs to the service.
 */
export async function controlApi(emulator: EmulatorControls, request: Request, name: string): Promise<Response> {
  if (request.headers.get('sec-fetch-site') === 'cross-site') {
    return Response.json({ error: 'A page of another site may not control the emulator.' }, { status: 403 })
  }
  const known = Object.hasOwn(COMMANDS, name) || Object.hasOwn(READINGS, name)
  if (!known) return Response.json({ error: `Unknown control operation "${name}".` }, { status: 404 })
  if (request.method === 'GET' && Object.hasOwn(READINGS, name)) {
    return Response.json(READINGS[name]?.(emulator, new URL(request.url).searchParams.get('order_id')))
  }
  if (request.method !== 'POST' || !Object.hasOwn(COMMANDS, name)) {
    const allow = [READINGS[name] && 'GET', COMMANDS[name] && 'POST'].filter(Boolean).join(', ')
    return Response.json({ error: `Allowed here: ${allow}.` }, { status: 405, headers: { allow } })
  }
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') ?? false
  try {
    const body = read(await request.text(), isForm)
    const result = await COMMANDS[name]?.(emulator, body)
    if (!isForm) return Response.json(result)
    const back = String(body.return_to ?? '')
    const location = back.startsWith('/_emulator') ? back : '/_emulator'
    return new Response(null, { status: 303, headers: { location } })
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
    if (isForm) return messagePage(400, 'Not possible', error.message)
    return Response.json({ error: error.message }, { status: 400 })
  }
}

function read(raw: string, isForm: boolean): Body {
  if (isForm) {
    const filled = [...new URLSearchParams(raw)].filter(([, value]) => value !== '')
    const body: Body = Object.fromEntries(filled)
    // A form has no nested fields: a fault is named by its kind alone.
    return body.fault === undefined ? body : { ...body, next: { kind: body.fault } }
  }
  const body: unknown = raw === '' ? {} : JSON.parse(raw)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new TypeError('The body must be an object.')
  return body as Body
}

function text(body: Body, name: string): string {
  const value = body[name]
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a string.`)
  return value
}

function number(body: Body, name: string): number {
  const value = Number(body[name])
  if (body[name] === undefined || !Number.isFinite(value)) throw new TypeError(`${name} must be a number.`)
  return value
}

function amount(body: Body): number | undefined {
  return body.amount === undefined ? undefined : number(body, 'amount')
}

function fault(value: unknown): Fault {
  const kind = (value as { kind?: unknown } | null)?.kind
  if (kind === 'reset') return { when: 'after_commit', ...(value as Fault) } as Fault
  if (kind === 'delay') return { ms: 60_000, ...(value as Fault) } as Fault
  if (kind === 'body') return { body: 'truncated', ...(value as Fault) } as Fault
  return value as Fault
}
