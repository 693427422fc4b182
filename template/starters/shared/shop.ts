// A shop with web standards only: a pay button, the customer's page, the staff's page, and the receiver of webhooks.
// The routes of your framework call `shop` and `webhooks`. The till keeps every payment and refund in SQLite.

import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import process from 'node:process'
import { configFromEnv, createClient, newOrderId } from 'edgetill'
import { needsPerson, paidOf } from 'edgetill/orders'
import { createTill, sqlite, type TillOptions } from 'edgetill/till'
import { createWebhookHandler } from 'edgetill/webhooks'

/** Your goods. Take them from your cart: never take an amount from the browser. */
const ITEM = { amount: 100.5, currency: 'UAH', description: 'Two mugs' }

const onEvent: TillOptions['onEvent'] = ({ id, event }, order) => {
  // It is called again if it throws, so do your work once for each id. A person looks at the others: see the staff's page.
  const paid = paidOf(event)
  if (!paid || needsPerson(order)) return
  console.log(`ship ${order.order_id}: ${paid.amount} ${paid.currency} paid (${id})`)
}

interface Settings {
  client: TillOptions['client']
  database: TillOptions['database']
  /** Verifies webhooks. */
  apiSecret: string
  /** Signs in the staff. Without it there is no refund. */
  password: string | undefined
  /** Where customers and the service find this shop. */
  origin: string
}

/** Makes the shop; a test gives it other settings. */
export async function createShop({ client, database, apiSecret, password, origin }: Settings) {
  const till = createTill({ client, database, onEvent })
  await till.migrate()
  const sign = (text: string) => createHmac('sha256', `${password}`).update(text).digest('base64url')
  const isSigned = (text: string, mark = '') => {
    const [own, other] = [Buffer.from(sign(text)), Buffer.from(mark)]
    return own.length === other.length && timingSafeEqual(own, other)
  }
  /** The session of the staff; undefined if this browser is not signed in. */
  const sessionOf = (request: Request): string | undefined => {
    const [id = '', mark] = cookieOf(request, 'staff').split('.')
    return password && isSigned(`session ${id}`, mark) ? id : undefined
  }

  async function pay(request: Request): Promise<Response> {
    const cart = cookieOf(request, 'cart')
    const form = await request.formData()
    // Another site's form has neither the cookie nor its text.
    if (!/^shop-[\w-]{4,24}$/.test(cart) || form.get('cart') !== cart) return page('Open the shop again.', 403)
    const opened = await till.createPayment({
      ...{ mode: 'hosted', method: 'purchase', ...ITEM, order_id: cart, order_3ds_bypass: 'supported' },
      ...{ server_url: `${origin}/webhooks`, result_url: `${origin}/shop/orders/${cart}` },
    })
    if (opened.outcome === 'done' && opened.url) return redirect(opened.url)
    if (opened.outcome === 'ended') return redirect(`/shop/orders/${cart}`)
    return page('The payment cannot be opened now. <a href="/shop">Try again</a>.', 503)
  }

  async function customerPage(id: string): Promise<Response> {
    const order = await till.order(id)
    if (!order) return page('No such order.', 404)
    const again = '<a href="/shop?new">Buy again</a>'
    if (order.status === 'failure') return page(`The payment failed, and nothing was charged. ${again}`)
    if (order.totals.captured_minor === 0)
      return page('The payment is not confirmed yet. Reload this page in a moment.')
    if (needsPerson(order)) return page('We received a payment and are checking it. You will hear from us.')
    const back =
      order.totals.refunded_minor > 0 ? ` Refunded: ${sum(order.totals.refunded_minor, order.currency)}.` : ''
    return page(`Paid: ${sum(order.totals.captured_minor, order.currency)}.${back} Thank you! ${again}`)
  }

  async function staffPage(session: string, id: string | null, says = '', status = 200): Promise<Response> {
    const order = id === null ? undefined : await till.order(id)
    const open = '<form action="/shop/staff">Order <input name="order" required> <button>Show</button></form>'
    if (!order) {
      const list = (await till.attention()).map((one) => `<li>${escaped(JSON.stringify(one))}</li>`)
      return page(
        `${says}${id === null ? '' : '<p>No such order.</p>'}${open}<h2>To look at</h2><ul>${list.join('')}</ul>`,
        status,
      )
    }
    const { order_id, totals, currency, flags, version } = order
    // The key makes a button that is pressed twice one refund. With the version, nothing is sent if money moved since.
    const hidden = {
      order: order_id,
      key: randomUUID(),
      version: `${version}`,
      mark: sign(`refund ${session} ${order_id}`),
    }
    const fields = Object.entries(hidden).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
    )
    return page(
      `${says}<h1>${escaped(order_id)}: ${escaped(`${order.status}`)}</h1>
<p>Paid ${sum(totals.captured_minor, currency)}, refunded ${sum(totals.refunded_minor, currency)}. ${escaped(flags.join(', '))}</p>
<form method="post" action="/shop/staff/refund">${fields.join('')}
Amount <input name="amount" inputmode="decimal" required> <button>Refund</button></form>${open}`,
      status,
    )
  }

  async function refund(request: Request, session: string): Promise<Response> {
    const form = await request.formData()
    const [order_id, key, version, mark, amount] = ['order', 'key', 'version', 'mark', 'amount'].map(
      (name) => `${form.get(name) ?? ''}`,
    ) as [string, string, string, string, string]
    if (!isSigned(`refund ${session} ${order_id}`, mark)) return page('Open the order again.', 403)
    const order = await till.order(order_id)
    const refund_amount = Number(amount.replace(',', '.').trim())
    const input = { order_id, order_currency: order?.currency ?? ITEM.currency, refund_amount }
    const moved = await till.refund(input, { key, ifVersion: version })
    const why = 'error' in moved ? moved.error.message : 'message' in moved ? moved.message : ''
    const says = `<p role="status">${escaped(SAYS[moved.outcome] ?? moved.outcome)} ${escaped(why)}</p>`
    return staffPage(session, order_id, says, STATUS[moved.outcome] ?? 409)
  }

  async function signIn(request: Request): Promise<Response> {
    const given = `${(await request.formData()).get('password') ?? ''}`
    if (!isSigned('password', createHmac('sha256', given).update('password').digest('base64url')))
      return signInPage(401)
    const id = randomUUID()
    return redirect('/shop/staff', `staff=${id}.${sign(`session ${id}`)}; Path=/shop/staff; HttpOnly; SameSite=Strict`)
  }

  async function shop(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, , place = '', id = ''] = pathname.replace(/\/$/, '').split('/')
    const isPost = request.method === 'POST'
    if (place === '' && !isPost) return shopPage(searchParams.has('new') ? '' : cookieOf(request, 'cart'))
    if (place === 'pay' && isPost) return pay(request)
    if (place === 'orders') return customerPage(decodeURIComponent(id))
    if (place !== 'staff') return page('No such page.', 404)
    if (!password) return page('Set STAFF_PASSWORD: without it there is no staff’s page, and no refund.', 503)
    if (id === 'login' && isPost) return signIn(request)
    const session = sessionOf(request)
    if (session === undefined) return signInPage(isPost ? 403 : 200)
    return id === 'refund' && isPost ? refund(request, session) : staffPage(session, searchParams.get('order'))
  }

  return { till, shop, webhooks: createWebhookHandler({ secrets: apiSecret, onEvent: till.receive }) }
}

const SAYS: Readonly<Record<string, string>> = {
  done: 'Refunded.',
  declined: 'The bank declined it; no money moved.',
  rejected: 'Not refunded.',
  unknown: 'It is not known yet whether it was refunded. Send the same form again, or look again in ten minutes.',
  not_sent: 'Nothing was sent.',
}
const STATUS: Readonly<Record<string, number>> = { done: 200, unknown: 202, rejected: 422 }

const signInPage = (status: number): Promise<Response> =>
  Promise.resolve(
    page(
      '<form method="post" action="/shop/staff/login">Password <input name="password" type="password"> <button>Sign in</button></form>',
      status,
    ),
  )

function shopPage(cart: string): Response {
  // The same cart leads to the same payment, however often the button is pressed.
  const order_id = /^shop-[\w-]{4,24}$/.test(cart) ? cart : newOrderId('shop-')
  const form = `<form method="post" action="/shop/pay"><input type="hidden" name="cart" value="${order_id}">
<button>Pay ${ITEM.amount.toFixed(2)} ${ITEM.currency}</button></form>`
  return page(`<h1>${ITEM.description}</h1>${form}`, 200, `cart=${order_id}; Path=/shop; HttpOnly; SameSite=Lax`)
}

function page(body: string, status = 200, cookie?: string): Response {
  const html = `<!doctype html><meta name="viewport" content="width=device-width"><title>Shop</title>${body}`
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  if (cookie) headers.append('set-cookie', cookie)
  return new Response(html, { status, headers })
}

function redirect(location: string, cookie?: string): Response {
  const headers = new Headers({ location })
  if (cookie) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

const cookieOf = (request: Request, name: string): string =>
  new RegExp(`(?:^|; )${name}=([^;]*)`).exec(request.headers.get('cookie') ?? '')?.[1] ?? ''
const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
const sum = (minor: number, currency: string | null): string => `${(minor / 100).toFixed(2)} ${currency ?? ''}`

type Shop = Awaited<ReturnType<typeof createShop>>
let opened: Promise<Shop> | undefined

/** The shop of the environment's variables, opened by the first request: a build needs no secret. */
function open(): Promise<Shop> {
  opened ??= start().catch((error: unknown) => {
    opened = undefined
    throw error
  })
  return opened
}

async function start(): Promise<Shop> {
  const { DATABASE = 'shop.db', SHOP_ORIGIN = 'http://127.0.0.1:3000', STAFF_PASSWORD } = process.env
  // Not imported: older types of Node do not have it.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite' as string) as unknown as {
    DatabaseSync: new (file: string) => Parameters<typeof sqlite>[0]
  }
  const config = configFromEnv(process.env)
  const shop = await createShop({
    ...{ client: createClient(config), database: sqlite(new DatabaseSync(DATABASE)) },
    ...{ apiSecret: config.apiSecret, password: STAFF_PASSWORD, origin: SHOP_ORIGIN },
  })
  // Looks up calls without a response, and repeats failed calls of onEvent.
  const settle = () => shop.till.settle().catch(console.error)
  await settle()
  setInterval(settle, 60_000).unref()
  return shop
}

/** Everything below /shop. */
export const shop = async (request: Request): Promise<Response> => (await open()).shop(request)
/** POST /webhooks. */
export const webhooks = async (request: Request): Promise<Response> => (await open()).webhooks(request)
