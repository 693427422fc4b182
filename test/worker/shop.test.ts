// A shop's use of the object that createShop returns.
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createShop, type ShopEnv } from '../../src/shop/index.ts'
import type { PagesOptions } from '../../src/shop/pages/options.ts'
import { ADMIN_TOKEN, ORIGIN, World } from './support/world.ts'

/** A shop's app with its own routes, middleware, 404 and error page, and the engine at `/`. */
function mounted(world: World) {
  const app = new Hono<{ Bindings: ShopEnv }>()
  app.use(async (c, next) => {
    await next()
    c.res.headers.set('x-shop', 'mugs')
  })
  app.route('/', world.shop.app)
  app.get('/', (c) => c.text('mugs'))
  app.get('/api/mine', (c) => c.text('mine'))
  app.get('/fails', () => {
    throw new Error('the shelf fell')
  })
  app.notFound((c) => c.text('no such mug', 404))
  app.onError((error, c) => c.text(`the shop: ${error.message}`, 500))
  return async (path: string, headers = {}) => {
    const response = await app.request(ORIGIN + path, { headers }, world.env())
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
}

describe('the engine in a shop’s own app', () => {
  it.each([
    ['/', 200, 'mugs'],
    ['/api/mine', 200, 'mine'],
    ['/nothing', 404, 'no such mug'],
    ['/api/nothing', 404, 'no such mug'],
    ['/fails', 500, 'the shop: the shelf fell'],
  ])('does not touch %s', async (path, status, text) => {
    const response = await mounted(new World())(path)
    expect(response).toMatchObject({ status, text })
    expect([response.headers.get('x-shop'), response.headers.get('strict-transport-security')]).toEqual(['mugs', null])
  })

  it('is not touched by it: its errors, its rejections and its headers are its own', async () => {
    const world = new World({ env: { LINK_SECRET: '' } })
    const get = mounted(world)
    const token = { authorization: `Bearer ${ADMIN_TOKEN}` }
    expect(await get('/checkout/x')).toMatchObject({ status: 500, text: expect.stringContaining('LINK_SECRET') })
    expect(await get('/api/orders')).toMatchObject({ status: 401, text: expect.stringContaining('unauthorized') })
    expect(await get('/api/orders/x', token)).toMatchObject({ status: 404, text: expect.stringContaining('not_found') })
    for (const path of ['/health', '/webhooks', '/api/orders', '/checkout/x']) {
      const { headers } = await get(path)
      expect([path, headers.get('cache-control'), headers.get('x-shop')]).toEqual([path, 'no-store', 'mugs'])
    }
  })

  it('needs no option and no runtime of Cloudflare’s', async () => {
    const shop = createShop({})
    const response = await shop.app.request(`${ORIGIN}/health`, {}, {} as ShopEnv)
    expect([response.status, await response.json()]).toEqual([503, { status: 'misconfigured' }])
    expect((await shop.fetch(new Request(`${ORIGIN}/nothing`), {} as ShopEnv)).status).toBe(404)
    expect(Object.keys(shop).sort()).toEqual(['ShopObject', 'api', 'app', 'fetch', 'may', 'notFound', 'scheduled'])
  })
})

describe('the shop’s own pages', () => {
  async function page(pages: PagesOptions): Promise<{ text: string; policy: string; style: string }> {
    const response = await new World({ pages }).get('/checkout/x')
    const text = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    return { text, policy, style: /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '' }
  }

  it.each([
    ['/logo.png', "img-src data: 'self'"],
    ['data:image/png;base64,AA==', 'img-src data:'],
  ])('show the logo %s', async (logo, directive) => {
    expect((await page({ logo })).policy).toContain(`${directive};`)
  })

  it('have its texts, style, logo, accent and contact, escaped, under a policy that allows these alone', async () => {
    const { text, policy, style } = await page({
      texts: [{ lang: 'en', invalid: { title: 'No <such> link', text: 'Ask "us".' } }],
      style: 'h1 { color: red }</style><script>alert(1)</script>',
      logo: 'https://cdn.example.com/logo.svg?a="><script>',
      accent: '#123456',
      contact: 'olena@example.com',
    })
    expect(text).toContain('<h1>No &lt;such&gt; link</h1>')
    expect(text).toContain('<img src="https://cdn.example.com/logo.svg?a=&quot;&gt;&lt;script&gt;" alt="">')
    expect(text).toContain('<a href="mailto:olena@example.com">olena@example.com</a>')
    expect(style).toMatch(/--link: #123456[\s\S]*h1 \{ color: red \}/)
    // The text of a style sheet ends at the first end tag alone.
    expect(text.match(/<\/style>/g)).toHaveLength(1)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style)))
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${btoa(String.fromCharCode(...digest))}'`,
      'img-src data: https://cdn.example.com',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
  })

  it.each([
    ['+380 44 123-45-67', '<a href="tel:+380441234567">+380 44 123-45-67</a>'],
    ['<b>Kyiv</b>', '&lt;b&gt;Kyiv&lt;/b&gt;'],
  ])('show the contact %s', async (contact, shown) => {
    expect((await page({ contact })).text).toContain(shown)
  })

  it('have a further language, and English for what is left out of it', async () => {
    const world = new World({ pages: { texts: [{ lang: 'pl', refreshNow: 'Odśwież' }] } })
    const text = await (await world.get('/checkout/x', { 'accept-language': 'pl' })).text()
    expect(text).toMatch(/<html lang="pl">[\s\S]*<h1>[A-Z]/)
  })
})
