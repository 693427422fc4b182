import type { AskedOrder, ProveState } from '../../../../src/testing/index.ts'
import { createWebhookHandler, type WebhookEvent } from '../../../../src/webhooks/index.ts'
import { decode } from '../../../emulator/call.ts'

interface Operation {
  method: string
  status: string
  minor: number
}

/** An order of which nothing has come yet. */
const untouched = () => ({
  asked: undefined as AskedOrder | undefined,
  seen: new Set<string>(),
  operations: new Map<string, Operation>(),
  /** The amount that a copy adds once more. */
  added: { paid: 0, refunded: 0 },
  latest: '',
  shipped: 0,
})

type Fields = Record<string, string> & { amount: number; processed_amount?: number; fee?: { amount: number } }

/** Whether a shop that compares the price in a wrong way rejects an amount. */
const PRICES: Readonly<Record<string, (amount: number, asked: number) => boolean>> = {
  sorts_amounts: (amount, asked) => String(amount) < String(asked),
  counts_whole_units: (amount, asked) => Math.floor(amount) !== asked,
  five_percent_off: (amount, asked) => amount < asked * 0.95,
  texts_of_amounts: (amount, asked) => amount.toFixed(2).replace(/0$/, '') !== String(asked),
}
/** Webhooks that a shop with a short memory knows. */
const MEMORY = 20

/** A hand-written shop in memory: right, or wrong in one way. It shares no rule with edgetill but the form of a webhook. */
export function receiver(bug?: string) {
  const orders = new Map<string, ReturnType<typeof untouched>>()
  let waiting: ReturnType<typeof setTimeout>[] = []
  const recent: string[] = []
  const failed = new Set<string>()
  let [lives, turns] = [0, 0]
  // A shop that makes its orders first has nothing to ship for another one.
  let makesOrders = false
  const order = (id: string) => {
    const state = orders.get(id) ?? untouched()
    orders.set(id, state)
    return state
  }

  const idOf = (event: Fields): string => {
    if (bug === 'dedupes_by_body') return JSON.stringify(event)
    return event.operation_id ?? `${event.payment_id} ${event.transaction_id} ${event.created_at}`
  }

  function store(event: Fields, isKnown?: boolean): void {
    const state = order(event.order_id as string)
    const { method = '', status = '', processed_amount, processed_currency } = event
    const amount = processed_amount ?? event.amount
    const currency = (processed_currency ?? event.currency) as string
    const { seen, operations, asked } = state
    const id = idOf(event)
    const once = { dedupes_by_order: 'one', dedupes_by_transaction: event.transaction_id ?? id }[bug as string]
    if (once !== undefined && seen.has(once)) return
    if (once !== undefined) seen.add(once)
    const isSale = method === 'purchase' || method === 'auth'
    const fee = bug === 'without_the_fee' ? (event.fee?.amount ?? 0) : 0
    const counted = bug === 'trusts_amount' && isSale ? (asked?.amount ?? amount) : amount - fee
    const minor = Math.round(counted * 100) + (bug === 'gives_a_bonus' && isSale ? 500 : 0)
    if (bug === 'knows_no_captures' && method === 'capture') return
    const same = [...operations.values()].filter((one) => one.status === 'success' && one.method === method)
    if (bug === 'one_of_each_amount' && !isSale && same.some((one) => one.minor === minor)) return
    const isUnpaid = [...operations.values()].every((one) => one.status !== 'success')
    if (bug === 'refund_needs_payment' && method === 'refund' && isUnpaid) return
    const known = operations.get(id)
    if (bug === 'rejects_copies' && known?.status === status) throw new Error('duplicate key')
    const isOdd =
      isSale &&
      asked !== undefined &&
      ((PRICES[bug as string]?.(amount, asked.amount) ?? (bug !== 'trusts_amount' && asked.amount !== amount)) ||
        (bug !== 'forgets_currency' && asked.currency !== currency))
    if (isOdd) return
    if (isSale) state.latest = status
    const isFinal = known?.status === 'success' || known?.status === 'failure'
    if (!isFinal || (bug === 'pending_overwrites' && status === 'pending')) {
      operations.set(id, { method, status, minor })
    }
    if (status !== 'success') return
    const isCopy = known?.status === 'success'
    const isForgotten = bug === 'short_memory' && !recent.includes(id)
    recent.splice(0, Math.max(0, recent.push(id) - MEMORY))
    const isOther = bug === 'every_other_twice' && method === 'purchase' && turns++ % 2 === 1
    if (isOther || (isCopy && (bug === 'adds_up_copies' || isForgotten || isKnown === false))) {
      if (method === 'purchase' || method === 'capture') state.added.paid += minor
      if (method === 'refund') state.added.refunded += minor
    }
    if (makesOrders && asked === undefined && bug !== 'makes_missing_orders') return
    const isNew = known?.status !== 'success'
    if ((method === 'purchase' || method === 'capture') && (bug === 'ships_copies' ? true : isNew)) {
      const isFirst = event.recurring !== undefined || state.shipped === 0
      const isPart = bug === 'parcel_for_each_part' && method === 'capture'
      if (isFirst || isPart || (bug === 'ships_copies' && !isNew)) state.shipped += bug === 'two_parcels' ? 2 : 1
    }
  }

  const storeOrWait = async (event: Fields): Promise<void> => {
    if (bug === 'not_atomic') {
      const isKnown = order(event.order_id as string).operations.get(idOf(event))?.status === 'success'
      const life = lives
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (life !== lives) throw new Error('killed')
      return store(event, isKnown)
    }
    const key = `${idOf(event)} ${event.status}`
    if (bug === 'books_then_fails' && event.method === 'purchase') {
      store(event, !failed.has(key))
      if (failed.has(key)) return
      failed.add(key)
      throw new Error('the mail server is away')
    }
    if (bug !== 'stores_after_answer') return store(event)
    waiting.push(setTimeout(() => store(event), 15))
  }

  const handler = createWebhookHandler({
    secrets: 'emulator-api-secret',
    onEvent: ({ record }: WebhookEvent) => storeOrWait(record as Fields),
    onRejected: () => {},
  })

  return {
    async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
      const request = new Request(input, init)
      if (bug !== 'no_signature_check') return handler(request)
      try {
        store(decode(new URLSearchParams(await request.text()).get('data') ?? '') as Fields)
      } catch {
        return new Response('unreadable', { status: 400 })
      }
      return new Response()
    },
    create: (asked: AskedOrder): void => {
      makesOrders = true
      order(asked.order_id).asked = asked
    },
    state(order_id: string): ProveState | undefined {
      const state = orders.get(order_id)
      if (state === undefined) return undefined
      const sum = (...methods: string[]): number => {
        const done = [...state.operations.values()].filter(({ status }) => status === 'success')
        const own = done.filter(({ method }) => methods.includes(method)).map(({ minor }) => minor)
        return (bug === 'last_one_is_all' ? own.slice(-1) : own).reduce((total, minor) => total + minor, 0)
      }
      const paid =
        bug === 'newest_wins' && state.latest !== 'success' ? 0 : sum('purchase', 'capture') + state.added.paid
      return { paid: paid / 100, refunded: (sum('refund') + state.added.refunded) / 100, shipped: state.shipped }
    },
    restart() {
      for (const timer of waiting) clearTimeout(timer)
      waiting = []
      lives++
    },
  }
}
