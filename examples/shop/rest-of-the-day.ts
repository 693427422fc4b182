// The second half of the demo: a partial capture, a cancelled checkout, a refund.

import { createCheckoutLink } from '../../src/checkout-link/index.ts'
import type { HostedAuthInput, HostedPurchaseInput } from '../../src/index.ts'
import { formOf, location, submit } from './browser.ts'
import { mugs } from './pages.ts'
import type { Shop } from './start.ts'
import { expectThat, say, title } from './timeline.ts'

interface Order {
  status: string
  totals: { authorized_minor: number; captured_minor: number; refunded_minor: number }
  flags: string[]
}

export async function restOfTheDay(shop: Shop, paidOrder: string): Promise<void> {
  const { worker, emulator, adminToken } = shop

  const api = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json', ...init.headers }
    const response = await fetch(`${worker}/api/orders/${path}`, { ...init, headers })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const readOrder = async (order_id: string) => (await api(order_id)).body as unknown as Order
  const checkout = async (order: HostedPurchaseInput | HostedAuthInput): Promise<string> => {
    const link = await createCheckoutLink({ origin: worker, linkSecret: shop.linkSecret, order })
    const opened = await fetch(link, { redirect: 'manual' })
    expectThat(opened.status === 303, `the checkout of ${order.order_id} returned ${opened.status} instead of 303.`)
    say('customer', 'GET  /checkout/…', opened.status, `${order.method} ${order.order_id} created`)
    return location(opened, link)
  }

  title('6. An authorized payment is captured in part')
  const lamp = 'lamp-1002'
  const lampForm = await checkout({
    ...mugs(lamp, shop),
    method: 'auth',
    amount: 250,
    description: 'A lamp',
    init_recurring: undefined,
  })
  const reserved = await submit(formOf(await (await fetch(lampForm)).text(), lampForm), {
    cc_number: '4111111111111111',
    exp_month: '12',
    exp_year: '39',
    card_cvv: '123',
  })
  await emulator.deliveries.idle()
  say('customer', 'POST checkout form', reserved.status, '250 UAH authorized')
  const capture = () =>
    api(`${lamp}/capture`, {
      method: 'POST',
      headers: { 'idempotency-key': 'lamp-1002-first' },
      body: JSON.stringify({ charge_amount: 100 }),
    })
  const captured = await capture()
  expectThat(captured.status === 200, `the capture returned ${captured.status}: ${JSON.stringify(captured.body)}`)
  say('shop', `POST /api/orders/${lamp}/capture  100 UAH`, captured.status, 'captured')
  const repeated = await capture()
  expectThat(
    repeated.body.operation_id === captured.body.operation_id,
    'the same Idempotency-Key led to a second capture.',
  )
  say('shop', `POST /api/orders/${lamp}/capture  (same key)`, repeated.status, 'the same record, no second capture')
  await emulator.deliveries.idle()
  const lampOrder = await readOrder(lamp)
  const { authorized_minor: authorized, captured_minor: total } = lampOrder.totals
  expectThat(
    authorized === 25000 && total === 10000,
    `${total} of ${authorized} minor units are captured instead of 10000 of 25000.`,
  )
  say('shop', `GET  /api/orders/${lamp}`, 200, '100.00 of 250.00 UAH captured')

  title('7. A checkout that is cancelled before it is paid')
  const vase = 'vase-1003'
  await checkout({ ...mugs(vase, shop), amount: 40, description: 'A vase' })
  const cancelled = await api(`${vase}/cancel`, { method: 'POST' })
  expectThat(
    cancelled.status === 200,
    `the cancellation returned ${cancelled.status}: ${JSON.stringify(cancelled.body)}`,
  )
  say(
    'shop',
    `POST /api/orders/${vase}/cancel`,
    cancelled.status,
    `${cancelled.body.status} ${cancelled.body.status_code}`,
  )
  await emulator.deliveries.idle()
  const { status } = await readOrder(vase)
  expectThat(status === 'failure', `the cancelled order is "${status}" instead of "failure".`)
  say('shop', `GET  /api/orders/${vase}`, 200, status)

  title('8. The customer returns one of the two mugs')
  const refund = () =>
    api(`${paidOrder}/refund`, {
      method: 'POST',
      headers: { 'idempotency-key': `${paidOrder}-one-mug` },
      body: JSON.stringify({ refund_amount: 50.25 }),
    })
  const refunded = await refund()
  expectThat(refunded.status === 200, `the refund returned ${refunded.status}: ${JSON.stringify(refunded.body)}`)
  say('shop', `POST /api/orders/${paidOrder}/refund  50.25 UAH`, refunded.status, 'refunded')
  const secondRefund = await refund()
  expectThat(
    secondRefund.body.operation_id === refunded.body.operation_id,
    'the same Idempotency-Key led to a second refund.',
  )
  say(
    'shop',
    `POST /api/orders/${paidOrder}/refund  (same key)`,
    secondRefund.status,
    'the same record, no second refund',
  )
  await emulator.deliveries.idle()
  const { totals, flags } = await readOrder(paidOrder)
  expectThat(
    totals.captured_minor === 10050 && totals.refunded_minor === 5025,
    `${totals.refunded_minor} minor units are refunded instead of 5025.`,
  )
  expectThat(flags.length === 0, `the order is flagged ${flags.join(', ')}.`)
  say('shop', `GET  /api/orders/${paidOrder}`, 200, '50.25 of 100.50 UAH refunded')
}
