// `npm run demo`: one shop's day, from the checkout link to the order in KV. Exits 0 only if every step passes.
// `--break=worker-secret` and `--break=no-webhooks` show its output when something is wrong.

import { formOf, location, submit } from './browser.ts'
import { checkoutLink } from './pages.ts'
import { restOfTheDay } from './rest-of-the-day.ts'
import { type Shop, startShop } from './start.ts'
import { expectThat, StepFailed, say, title } from './timeline.ts'

interface Order {
  order_id: string
  status: string
  amount: number
  currency: string
  events: unknown[]
  totals: { captured_minor: number }
}

const broken = process.argv.find((word) => word.startsWith('--break='))?.slice('--break='.length)
if (broken !== undefined && broken !== 'worker-secret' && broken !== 'no-webhooks') {
  console.error('--break takes worker-secret or no-webhooks.')
  process.exit(2)
}

const FIRST_ORDER = 'mugs-1001'

const startedAt = performance.now()
let shop: Shop | undefined
try {
  shop = await startShop({ broken })
  console.log(`worker    ${shop.worker}  (wrangler.toml's bundle in workerd, with its KV namespace)`)
  console.log(`service   ${shop.service}  (the emulator, over HTTP)`)
  await firstOrder(shop)
  await restOfTheDay(shop, FIRST_ORDER)
  console.log(`\nEvery step passed (${((performance.now() - startedAt) / 1000).toFixed(1)} s).`)
} catch (error) {
  console.error(`\nThe demo stopped: ${error instanceof Error ? error.message : String(error)}`)
  if (!(error instanceof StepFailed)) console.error(error)
  process.exitCode = 1
} finally {
  await shop?.stop()
}

async function firstOrder({ shop, worker, emulator, linkSecret, adminToken }: Shop): Promise<void> {
  const order_id = FIRST_ORDER
  const { deliveries } = emulator
  const readOrder = async () => {
    const response = await fetch(`${worker}/api/orders/${order_id}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    return { status: response.status, order: (await response.json()) as Order }
  }

  title('1. The customer opens the checkout link')
  const link = await checkoutLink(order_id, shop, { worker, linkSecret })
  const opened = await fetch(link, { redirect: 'manual' })
  expectThat(
    opened.status === 303,
    `the worker responded to the checkout link with ${opened.status} instead of 303. Is its API_SECRET correct?`,
  )
  const formAddress = location(opened, link)
  say('customer', 'GET  /checkout/…', opened.status, 'payment created, customer redirected to the checkout form')
  const again = await fetch(link, { redirect: 'manual' })
  expectThat(location(again, link) === formAddress, 'opening the link twice led to two different checkouts.')
  say('customer', 'GET  /checkout/… (a second time)', again.status, 'the same checkout, no second payment')

  title('2. The customer pays, and passes 3-D Secure')
  const formPage = await fetch(formAddress)
  expectThat(formPage.status === 200, `the checkout form responded with ${formPage.status}.`)
  say('customer', 'GET  checkout form', formPage.status)
  const paid = await submit(formOf(await formPage.text(), formAddress), {
    cc_number: '4000000000003220',
    exp_month: '12',
    exp_year: '39',
    card_cvv: '123',
  })
  const threeDSecure = location(paid, formAddress)
  await deliveries.idle()
  say('customer', 'POST checkout form', paid.status, 'payment pending (2122), customer redirected to 3-D Secure')
  const challenge = await fetch(threeDSecure)
  const passed = await submit(formOf(await challenge.text(), threeDSecure), { outcome: 'pass' })
  const resultAddress = location(passed, threeDSecure)
  await deliveries.idle()
  say('customer', 'POST 3-D Secure', passed.status, 'payment success, customer redirected to the shop')
  expectThat(
    resultAddress === `${shop}/orders/${order_id}`,
    `the customer was redirected to ${resultAddress} instead of the shop.`,
  )
  const result = await fetch(resultAddress)
  say('customer', `GET  ${new URL(resultAddress).pathname}`, result.status, 'the shop shows the order')

  title('3. The service sends its webhooks')
  const sent = [...deliveries].filter(({ event }) => event.order_id === order_id)
  for (const { event, attempts } of sent) {
    const last = attempts.at(-1)
    expectThat(
      last?.status === 200,
      `the webhook "${event.status}" was not accepted by the worker: ${last?.status ?? last?.error ?? 'it was never sent'}.`,
    )
    say('service', `POST /webhooks  ${event.method} ${event.status}`, last.status, 'stored in KV')
  }
  const pending = sent.find(({ event }) => event.status === 'pending')
  const success = sent.find(({ event }) => event.status === 'success')
  expectThat(
    pending !== undefined && success !== undefined,
    `the service sent ${sent.length} webhooks instead of pending and success.`,
  )
  for (const [delivery, why] of [
    [success, 'again'],
    [pending, 'older, late'],
  ] as const) {
    await deliveries.resend(delivery.id)
    await deliveries.idle()
    const status = delivery.attempts.at(-1)?.status
    expectThat(status === 200, `the webhook "${delivery.event.status}" (${why}) got the response ${status}.`)
    say(
      'service',
      `POST /webhooks  ${delivery.event.method} ${delivery.event.status} (${why})`,
      status,
      'nothing changes',
    )
  }

  title('4. A forged webhook arrives')
  const fields = new URLSearchParams(success.body)
  const data = fields.get('data') ?? ''
  // One byte of data changed, the old signature kept.
  fields.set('data', data.slice(0, 40) + (data[40] === 'A' ? 'B' : 'A') + data.slice(41))
  const forged = await fetch(`${worker}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: fields.toString(),
  })
  expectThat(forged.status === 401, `the forged webhook got the response ${forged.status} instead of 401.`)
  say('forger', 'POST /webhooks  one byte of data changed', forged.status, 'rejected, nothing stored')

  title('5. The shop reads the order back from KV, through the worker')
  const { status, order } = await readOrder()
  expectThat(status === 200, `reading the order returned ${status}.`)
  expectThat(order.status === 'success', `the order is "${order.status}" instead of "success".`)
  expectThat(
    order.amount === 100.5 && order.currency === 'UAH',
    `the order's amount is ${order.amount} ${order.currency} instead of 100.5 UAH.`,
  )
  expectThat(
    order.totals.captured_minor === 10050,
    `${order.totals.captured_minor} hundredths are captured instead of 10050.`,
  )
  expectThat(order.events.length === 2, `the order has ${order.events.length} events; pending and success are two.`)
  say(
    'shop',
    `GET  /api/orders/${order_id}`,
    status,
    `${order.status}, ${order.amount} ${order.currency}, ${order.events.length} events`,
  )
  console.log(JSON.stringify(order, undefined, 2).replace(/^/gm, '    '))
}
