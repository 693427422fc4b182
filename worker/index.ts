import { createConsole } from 'edgetill/console'
import { createShop } from 'edgetill/worker'
import { Hono } from 'hono/tiny'
import type { Env } from './env.ts'
import { onAlert } from './on-alert.ts'
import { onEvent } from './on-event.ts'

// Make your customers' pages look like your shop: add `logo: 'https://shop.example.com/logo.svg'`.
const pages = { accent: '#0b57d0' }
const shop = createShop<Env>({ onEvent, onAlert, pages })

/** The Durable Object class that wrangler.toml declares. */
export const ShopObject = shop.ShopObject

const app = new Hono<{ Bindings: Env }>()
app.route('/', shop.app)
// Your orders, for you and your colleagues.
app.route('/console', createConsole(shop))
// Add your own routes here.
app.notFound(shop.notFound)

export default { fetch: app.fetch, scheduled: shop.scheduled }
