// The shop's own pages: a "Pay" button and an order page. Plain HTML, no client-side script.

import { Hono } from 'hono'
import { html } from 'hono/html'
import { createCheckoutLink } from '../../src/checkout-link/index.ts'
import type { HostedPurchaseInput } from '../../src/index.ts'

export interface ShopPagesOptions {
  /** The worker's origin. */
  worker: string
  /** The emulator's origin. */
  service: string
  linkSecret: string
  adminToken: string
}

interface Order {
  status: string
  amount: number | null
  currency: string | null
  operations: { method: string; status: string; amount: number; created_at: string }[]
}

export function createShopPages({ worker, service, linkSecret, adminToken }: ShopPagesOptions): Hono {
  const app = new Hono()

  app.get('/', (c) =>
    c.html(
      page(
        'The mug shop',
        html`<p>Two mugs, delivered tomorrow.</p>
          <p class="price">100.50 UAH</p>
          <form method="post" action="/pay"><button type="submit">Pay 100.50 UAH</button></form>
          <p>You will pay on the emulator's checkout page, which lists the card numbers it accepts. No money moves.</p>`,
      ),
    ),
  )

  app.post('/pay', async (c) => {
    const order_id = `mugs-${crypto.randomUUID().slice(0, 8)}`
    return c.redirect(await checkoutLink(order_id, new URL(c.req.url).origin, { worker, linkSecret }), 303)
  })

  app.on(['GET', 'POST'], '/orders/:order_id', async (c) => {
    const order_id = c.req.param('order_id')
    const response = await fetch(`${worker}/api/orders/${encodeURIComponent(order_id)}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    if (!response.ok) {
      return c.html(
        page(
          `Order ${order_id}`,
          html`<p role="status">Your payment is being confirmed. This page refreshes automatically. <a href="">Refresh now</a></p>`,
          html`<meta http-equiv="refresh" content="3" />`,
        ),
      )
    }
    const order = (await response.json()) as Order
    return c.html(
      page(
        `Order ${order_id}`,
        html`<p role="status">Status: <strong>${order.status}</strong></p>
          <p>Amount: ${money(order.amount)} ${order.currency}</p>
          <table>
            <caption>What happened</caption>
            <thead><tr><th scope="col">Time</th><th scope="col">Operation</th><th scope="col">Status</th><th scope="col" class="amount">Amount</th></tr></thead>
            <tbody>
              ${order.operations.map(
                (one) =>
                  html`<tr><td><time datetime="${one.created_at}">${clockTime(one.created_at)}</time></td><td>${one.method}</td><td>${one.status}</td><td class="amount">${money(one.amount)}</td></tr>`,
              )}
            </tbody>
          </table>
          <p><a href="/">Back to the shop</a> · <a href="${service}/_emulator/orders?order_id=${encodeURIComponent(order_id)}">This order in the emulator</a></p>`,
      ),
    )
  })

  return app
}

/** Two decimals, as the shop shows prices. */
function money(amount: number | null): string {
  return amount === null ? '' : amount.toFixed(2)
}

/** `2026-11-22T01:37:17.066` without its date: all events of the demo are of today. */
function clockTime(timestamp: string): string {
  return timestamp.slice(11, 19)
}

/** A link for two mugs. Its price cannot be changed, and the customer's data in it cannot be read. */
export function checkoutLink(
  order_id: string,
  shop: string,
  { worker, linkSecret }: { worker: string; linkSecret: string },
): Promise<string> {
  return createCheckoutLink({ origin: worker, linkSecret, order: mugs(order_id, { worker, shop }) })
}

/** Two mugs, as input of `createPayment`. */
export function mugs(order_id: string, { worker, shop }: { worker: string; shop: string }): HostedPurchaseInput {
  return {
    mode: 'hosted',
    method: 'purchase',
    amount: 100.5,
    currency: 'UAH',
    description: 'Two mugs',
    order_id,
    order_3ds_bypass: 'supported',
    customer_patronym: 'Ivanivna',
    customer_email: 'olena@example.com',
    customer_phone: '+380441234567',
    server_url: `${worker}/webhooks`,
    result_url: `${shop}/orders/${order_id}`,
  }
}

function page(title: string, body: unknown, head: unknown = ''): string | Promise<string> {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${head}
        <style>
          body { font: 1.125rem/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 40rem; margin: 0 auto; padding: 1.5rem; }
          .price { font-size: 1.75rem; font-weight: 700; }
          button { font: inherit; padding: 0.75rem 1.5rem; min-height: 3rem; width: 100%; border: 0; border-radius: 0.5rem; color: #fff; background: #0b5d3b; cursor: pointer; }
          a { color: #0b4a8f; }
          :focus-visible { outline: 3px solid #0b4a8f; outline-offset: 3px; }
          table { border-collapse: collapse; width: 100%; }
          caption { text-align: left; font-weight: 700; }
          th, td { text-align: left; padding: 0.25rem 0.5rem 0.25rem 0; }
          @media (max-width: 30rem) { body { padding: 1rem; } table { font-size: 0.9rem; } }
          .amount { text-align: right; font-variant-numeric: tabular-nums; }
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>` as unknown as string | Promise<string>
}
