// A shop's day: a link that is made, sent and paid, the takings, and how an order is found again.
import { describe, expect, it } from 'vitest'
import { wordsIn } from '../../src/shop/console/words/words.ts'
import { failing, World, type WorldOptions } from '../worker/support/world.ts'
import { Browser, formTo, mount } from './support/browser.ts'

const en = wordsIn('en')

const KYIV = { SHOP_TZ: 'Europe/Kyiv' }
async function open(options: WorldOptions = {}): Promise<{ world: World; browser: Browser }> {
  const world = new World({ failures: 0, ...options, env: { ...KYIV, ...options.env } })
  return { world, browser: await new Browser(mount(world)).signIn() }
}
const plain = (text: string): string => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const FILLED = { amount: '1,000.50', currency: 'UAH', description: 'Two "mugs" <b>', name: 'Olena', lang: 'en' }

async function make(browser: Browser) {
  const form = formTo(await browser.open('/console/new-link'), '/console/new-link')
  return { form, page: await browser.submit(form, FILLED) }
}

describe('a link', () => {
  it('is made, sent, opened and paid, and is then taken today', async () => {
    const { world, browser } = await open()
    const { page } = await make(browser)
    expect(page.url).toMatch(/^\/console\/links\/[A-Z2-9]{10}$/)
    // Its code: a quiet zone of four, then the first corner.
    const rows = ['4.5m4 0h7m', '5.5m4 0h1m5 0h1m', '6.5m4 0h1m1 0h3m1 0h1m', '10.5m4 0h7m1 0h1m1 0h1m']
    for (const row of rows) expect(page.text).toContain(`M0 ${row}`)
    const short = /href="(https:\/\/[^"]+\/p\/[\w-]{16})"/.exec(page.text)?.[1] ?? ''
    expect(new URL(short).pathname.length).toBeLessThanOrEqual(19)
    const landing = await world.get((await world.get(short)).headers.get('location') ?? '')
    const action = /action="([^"]+)"/.exec(await landing.text())?.[1] ?? ''
    const env = world.env()
    const opened = await world.fetch(new Request(new URL(action, short), { method: 'POST', redirect: 'manual' }), env)
    await world.pay(opened.headers.get('location') ?? '')
    await world.advance(20_000)
    const file = await browser.raw('/console/day.csv')
    const [, line] = (await file.text()).split('\r\n')
    expect(line?.split(',').slice(5, 9)).toEqual(['"1000.50"', '"UAH"', '"15.11"', '"1000.50"'])
    const order_id = page.url.split('/').at(-1) ?? ''
    for (const query of [`q=${order_id}`, 'q=1000.50', 'q=1000%2C50', 'from=2026-03-01&to=2026-03-01']) {
      expect([query, (await browser.open(`/console/search?${query}`)).text.includes(`/orders/${order_id}"`)]).toEqual([
        query,
        true,
      ])
    }
    expect(plain((await browser.open('/console/search?q=nobody')).text)).toContain('Nothing found.')
  })

  it('is made again with all that it had', async () => {
    const { browser } = await open()
    const typed = { ...FILLED, amount: '1000.50', phone: '+380441234567', email: 'olena@example.com' }
    const chosen = { currency: 'EUR', method: 'auth', lang: 'uk' }
    const form = formTo(await browser.open('/console/new-link'), '/console/new-link')
    const { url } = await browser.submit(form, { ...typed, ...chosen })
    const again = await browser.open(`/console/new-link?again=${url.split('/').at(-1)}`)
    const { currency: _, lang: __, ...rest } = typed
    expect(formTo(again, '/console/new-link').fields).toMatchObject(rest)
    for (const value of Object.values(chosen)) expect(again.text).toContain(`<option value="${value}" selected>`)
  })

  it('is one link of one order, however often its form is sent', async () => {
    const { browser, world } = await open()
    const { form, page } = await make(browser)
    expect((await browser.submit(form, FILLED)).url).toBe(page.url)
    const { links } = (await (await world.api('/api/links')).json()) as { links: { order_id: string; by: string }[] }
    expect(new Set(links.map(({ order_id }) => order_id)).size).toBe(1)
    expect(links[0]?.by).toBe('admin')
  })
})

describe('a storage that fails', () => {
  it('shows what is known, and no sum that is not', async () => {
    const { browser, world } = await open()
    world.object.before = failing()
    const home = await browser.open('/console')
    expect([home.status, plain(home.text)]).toEqual([200, expect.stringContaining('is not known now')])
    expect(home.text).not.toMatch(/class="sum"|All is well|waiting for payment/)
    const paths = '/links /day /day.csv /search?q=x /attention /record /links/A-1 /links/A-1/close /orders/A-1'
    for (const path of paths.split(' ')) {
      const { status, text } = await browser.open(`/console${path}`)
      expect([path, status, text]).toEqual([path, 503, expect.stringContaining(en.failed.body)])
    }
  })
})

describe('an order is found', () => {
  it('by words, name, phone, amount as printed, digits as printed, and its number in any case; filters narrow the list', async () => {
    const { world, browser } = await open()
    const order = {
      customer_fname: 'Мар’яна',
      customer_lname: "O'Neill",
      customer_phone: '+380 99 123-45-67',
      amount: 1_234.5,
    }
    await world.pay(
      await world.open(await world.link({ ...order, order_id: 'S55KT8BBQ3', description: 'Два Горнятка сині' })),
    )
    // The row then shows what is left, and its story what went back.
    await world.advance(2_000)
    await world.send('/api/orders/S55KT8BBQ3/refund', { refund_amount: 34.5 }, 'a-part-of-it-goes-back')
    await world.open(await world.link({ order_id: 'WAITS', description: 'A vase' }))
    await world.pay(await world.open(await world.link({ order_id: 'DECLINED', description: 'A jug' })), 'declined')
    await world.advance(20_000)
    const found = async (query: string) => {
      const { text } = await browser.open(`/console/orders?${query}`)
      return ['S55KT8BBQ3', 'WAITS', 'DECLINED'].filter((id) => text.includes(`/orders/${id}"`))
    }
    const words =
      "горнятка|ГОРНЯТКА два|мар’яна|Мар'яна|Марʼяна oʼneill|O’Neill|380991234567|123-45-67|099 123 45 67|(099) 123-45-67|s55kt8bbq3|5kt8|olena@example.com|Example.com два"
    const printed = '1 234,50|1,234.50|UAH 1,234.50|1 234,50 грн|34,50|1 200,00|•••• 1111|**** 1111|1111'
    for (const q of `${words}|${printed}`.split('|'))
      expect([q, (await found(`q=${encodeURIComponent(q)}`)).includes('S55KT8BBQ3')]).toEqual([q, true])
    for (const q of ['горнятка зелені', '€1,234.50', '1 234,50 USD', '4.50'])
      expect([q, await found(`q=${encodeURIComponent(q)}`)]).toEqual([q, []])
    expect([
      await found(''),
      await found('state=waiting'),
      await found('state=failure'),
      await found('state=success'),
    ]).toEqual([['S55KT8BBQ3', 'WAITS', 'DECLINED'], ['WAITS'], ['DECLINED'], ['S55KT8BBQ3']])
    expect(await found('from=2026-03-02')).toEqual([])
    expect((await browser.open('/console/orders')).text).toContain('<bdi>Мар’яна O&#39;Neill</bdi>')
    // Words are looked for in the 92 days before the last one, and KV has no address.
    const { time } = world
    world.time += 93 * 86_400_000
    await browser.signIn()
    expect([await found('q=jug'), await found('q=jug&to=2026-03-02')]).toEqual([[], ['DECLINED']])
    world.time = time
    for (const key of await world.keys('order/')) expect(await world.env().STATE.get(key)).not.toMatch(/@/)
    // An erased order is not found by its old data.
    await world.api('/api/orders/S55KT8BBQ3/personal-data', { method: 'DELETE' })
    await world.advance(61_000)
    for (const q of ['олена', '380991234567', 'горнятка', 'example.com 5kt8'])
      expect([q, await found(`q=${encodeURIComponent(q)}`)]).toEqual([q, []])
  })
})
