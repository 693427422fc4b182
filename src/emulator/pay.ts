import * as v from 'valibot'
import type { Fetch } from '../config.ts'
import { fields, InputError, oneOf, parseInput, shown } from './parse-input.ts'
import { TEST_CARDS, type TestCardName } from './state/cards.ts'

/** Card data as a customer types it. */
export interface TypedCard {
  /** Digits; spaces and dashes are ignored. */
  cc_number: string
  /** 1 to 12. */
  exp_month: string
  /** Two or four digits. */
  exp_year: string
  /** Three or four digits. */
  card_cvv: string
}

/** How the customer pays. */
export interface PayOptions {
  /** The name of a test card, or card data. Default `success`. */
  card?: TestCardName | TypedCard
  /** The customer's answer at the bank, if the card requires 3-D Secure. Default `pass`. */
  threeDSecure?: 'pass' | 'fail'
  /** `emulator.fetch` in process. Default `globalThis.fetch`, for an emulator that is served. */
  fetch?: Fetch
}

// A misspelt option would pay with the default.
const OPTIONS = fields('pay option', {
  card: v.optional(v.unknown()),
  threeDSecure: v.optional(oneOf('threeDSecure', ['pass', 'fail'] as const)),
  fetch: v.optional(v.function('must be a function.')),
})

const MAX_REDIRECTS = 5

/**
 * Pays on the emulator's checkout page as the customer would, without a browser: opens the page, fills in the card, and
 * confirms or declines at the bank if the card requires 3-D Secure. `pay(customerActionUrl(payment))` completes the 3-D
 * Secure of a direct payment. `emulator.pay(url)` is the same and needs no `fetch`.
 *
 * @param checkoutUrl `checkout.url` of `createPayment`, the `user_action_url` of a direct payment, or a redirect to
 *   either.
 * @returns The customer's last page: the payment's `result_url` after a success, else the checkout's own page. How the
 *   payment ended is in its webhook.
 * @throws {ConfigError} for an unknown test card or option, and for what is not an address, such as the checkout
 *   itself.
 * @throws {Error} when the page cannot be paid on: it was paid before, it is not the emulator's, the card data is
 *   wrong; and when no emulator listens at the address and no `fetch` was passed.
 * @see The API document, "Hosted request".
 * @example
 * import { createClient, newOrderId } from 'edgetill'
 * import { createEmulator } from 'edgetill/emulator'
 * import { pay } from 'edgetill/testing'
 * const emulator = createEmulator()
 * const client = createClient({ ...emulator.credentials, fetch: emulator.fetch })
 * const checkout = await client.createPayment({
 *   mode: 'hosted', method: 'purchase', amount: 100.5, currency: 'UAH', description: 'Mugs', order_id: newOrderId(),
 *   order_3ds_bypass: 'supported',
 * })
 * await pay(checkout.url, { card: 'three_d_secure', threeDSecure: 'fail', fetch: emulator.fetch })
 */
export async function pay(checkoutUrl: string | URL, options: PayOptions = {}): Promise<string> {
  parseInput(OPTIONS, options)
  const { card = 'success', threeDSecure = 'pass', fetch = globalThis.fetch } = options
  const typed = typeof card === 'object' && card !== null ? card : cardNamed(card)
  let page = await open(addressOf(checkoutUrl), fetch)
  if (page.has('cc_number')) page = await submit(page, { ...typed }, fetch)
  else if (!page.has('outcome')) throw new Error(`pay: the page cannot be paid on: ${page.url} says "${page.text}".`)
  if (page.has('cc_number')) throw new Error(`pay: the card was not accepted: the page says "${page.text}".`)
  if (page.has('outcome')) return (await submit(page, { outcome: threeDSecure }, fetch)).url
  if (threeDSecure === 'fail') {
    throw new Error(
      "pay: this card does not ask for 3-D Secure, so nothing failed there. Pay with { card: 'three_d_secure' }.",
    )
  }
  return page.url
}

function addressOf(url: unknown): string {
  if ((typeof url === 'string' || url instanceof URL) && URL.canParse(String(url))) return String(url)
  const isPayment = typeof url === 'object' && url !== null && 'user_action_url' in url
  const hint = isPayment ? 'customerActionUrl(payment)' : 'checkout.url'
  throw new InputError(`pay: the first argument must be the address of a page; pass ${hint}.`, 'checkoutUrl')
}

function cardNamed(name: TestCardName): TypedCard {
  const card = TEST_CARDS.find((one) => one.name === name)
  if (card !== undefined) return { cc_number: card.number, exp_month: '12', exp_year: '2099', card_cvv: '123' }
  throw new InputError(
    `pay: unknown test card ${shown(name)}. Expected one of: ${TEST_CARDS.map((one) => one.name).join(', ')}.`,
    'card',
  )
}

interface Page {
  url: string
  /** The text of the page, without its markup. */
  text: string
  /** Whether it has a field or a button of this name. */
  has(name: string): boolean
}

async function open(address: string, fetch: Fetch): Promise<Page> {
  let url = address
  for (let i = 0; i <= MAX_REDIRECTS; i++) {
    const response = await fetch(url, { redirect: 'manual' }).catch((cause: unknown) => {
      if (fetch !== globalThis.fetch) throw cause
      const { origin } = new URL(url)
      throw new Error(
        `pay: no emulator listens on ${origin}: pass { fetch: emulator.fetch }, or call emulator.pay(url).`,
        { cause },
      )
    })
    const location = response.headers.get('location')
    if (location === null || response.status < 300 || response.status > 399) return read(url, response)
    await response.body?.cancel()
    url = new URL(location, url).href
  }
  throw new Error(`pay: ${address} redirects more than ${MAX_REDIRECTS} times.`)
}

async function submit({ url }: Page, fields: Record<string, string>, fetch: Fetch): Promise<Page> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) return read(url, response)
  await response.body?.cancel()
  const next = new URL(location, url)
  if (/^\/api\/v1\/checkout\//.test(next.pathname) && next.origin === new URL(url).origin) return open(next.href, fetch)
  return { url: next.href, text: '', has: () => false }
}

async function read(url: string, response: Response): Promise<Page> {
  const html = await response.text()
  const main = /<main\b[^>]*>([\s\S]*?)<\/main>/.exec(html)?.[1] ?? html
  const visible = main.replaceAll(/<(style|script|dl|form|ul|table)\b[\s\S]*?<\/\1>/g, ' ').replaceAll(/<[^>]*>/g, ' ')
  const errors = [...main.matchAll(/<p class="error"[^>]*>([^<]*)</g)].map(([, error = '']) => error)
  const text = decode(errors.length > 0 ? errors.join(' ') : visible)
  return { url, text: text || `status ${response.status}`, has: (name) => html.includes(` name="${name}"`) }
}

const ENTITIES: Record<string, string> = { '&#39;': "'", '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' }

const decode = (html: string): string =>
  html
    .replaceAll(/&[#\w]+;/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
