// What stops a customer is shown to the shop: a rejected payment, and a message that names no order.
import { describe, expect, it } from 'vitest'
import { wordsIn } from '../../src/shop/console/words/words.ts'
import { World, type WorldOptions } from '../worker/support/world.ts'
import { Browser, type Form, formTo, mount } from './support/browser.ts'

const en = wordsIn('en')
const FILLED = { amount: '100', description: 'A mug', lang: 'en' }
const plain = (text: string): string => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const NEEDED = ['customer_patronym', 'customer_email', 'customer_phone']
const NEEDED_SHOWN = 'customer_email, customer_phone, customer_patronym'

/** A shop whose service requires the fields that the API document names, with a link that was made in the console. */
async function open(typed: Record<string, string> = {}, env: WorldOptions['env'] = {}, more: WorldOptions = {}) {
  const world = new World({ failures: 0, emulator: { customerFields: 'required' }, env: { ...env }, ...more })
  const browser = await new Browser(mount(world)).signIn()
  const form = formTo(await browser.open('/console/new-link'), '/console/new-link')
  const { url, text } = await browser.submit(form, { ...FILLED, ...typed })
  const short = /href="(https:\/\/[^"]+\/p\/[\w-]{16})"/.exec(text)?.[1] ?? ''
  const path = (await world.get(short)).headers.get('location') ?? ''
  const press = () =>
    world.fetch(new Request(new URL(path, short), { method: 'POST', redirect: 'manual' }), world.env())
  const look = async (page: string) => plain((await browser.open(`/console${page}`)).text)
  return { world, browser, order_id: url.split('/').at(-1) ?? '', press, look }
}

const doneForm = async (browser: Browser, path: string): Promise<Form> =>
  formTo(await browser.open('/console/attention'), path)

describe('a payment that the service rejects', () => {
  it('is told to the customer, stands in Attention and on the page of its link with each field, until it is done', async () => {
    const alerts: { kind: string; order_id: string | null; text: string }[] = []
    const onAlert = (alert: (typeof alerts)[number]) => void alerts.push(alert)
    const { browser, order_id, press, look } = await open({}, {}, { onAlert })
    expect(await look('/attention')).toContain(en.attention.well)
    const page = await press()
    expect([page.status, plain(await page.text())]).toEqual([
      422,
      expect.stringMatching(/cannot be paid.*the shop has to correct something/),
    ])
    await press()
    const shown = await look('/attention')
    expect(shown).toContain(en.attention.kinds.checkout_rejected)
    expect(shown.split(en.attention.says.checkout_rejected as string)).toHaveLength(2)
    for (const part of [order_id, '100.00', en.attention.done, ...NEEDED]) expect(shown).toContain(part)
    const link = await look(`/links/${order_id}`)
    expect(link).toContain(en.link.states.rejected)
    expect(link).not.toContain(en.link.states.sent)
    for (const name of NEEDED) expect(link).toContain(name)
    expect(await look(`/orders/${order_id}`)).toContain(`${en.attention.says.checkout_rejected} ${NEEDED_SHOWN}`)
    const listed = async (state = '') => (await look(`/links${state && `?state=${state}`}`)).split('A mug')[1]
    for (const row of [await listed(), await listed('rejected')]) expect(row).toContain(en.link.states.rejected)
    expect(await listed('opened')).toBeUndefined()
    expect(alerts).toMatchObject([
      { kind: 'checkout_rejected', order_id, text: expect.stringContaining(NEEDED[0] as string) },
    ])
    expect(await browser.open('/console/attention').then(({ text }) => /<title>\((\d+)\)/.exec(text)?.[1])).toBe('1')
    await browser.submit(await doneForm(browser, `/console/orders/${order_id}/done`))
    expect(await look('/attention')).toContain(en.attention.well)
    // It is there again if it happens again.
    await press()
    expect(await look('/attention')).toContain(order_id)
  })

  it.each([
    [
      'defaults of the shop',
      {},
      { CUSTOMER_EMAIL: 'shop@example.com', CUSTOMER_PHONE: '+380441234567', CUSTOMER_PATRONYM: '-' },
    ],
    ['fields of the form', { patronym: 'Petrivna', phone: '+380441234568', email: 'o@example.com' }, {}],
  ])('is none with %s', async (_, typed, env) => {
    const { world, order_id, press, look } = await open(typed, env)
    expect((await press()).headers.get('location')).toBe(world.emulator.orders.get(order_id)?.checkout_url)
    expect(await look('/attention')).toContain(en.attention.well)
  })

  it('goes when the payment can be opened, and is not one that is rejected for a moment', async () => {
    const { world, press, look } = await open()
    await press()
    expect(await look('/attention')).toContain(en.attention.kinds.checkout_rejected)
    world.options.env = { CUSTOMER_EMAIL: 'a@b.example', CUSTOMER_PHONE: '+380441234567', CUSTOMER_PATRONYM: '-' }
    world.begin()
    expect((await press()).status).toBe(303)
    expect(await look('/attention')).toContain(en.attention.well)
    for (const status of [408, 429, 500]) {
      const other = await open()
      other.world.intercept = (url) => (/\/payment$/.test(url) ? Response.json({}, { status }) : undefined)
      const page = await other.press()
      expect([page.status, plain(await page.text())]).toEqual([503, expect.stringContaining('could not be opened')])
      expect(await other.look('/attention')).toContain(en.attention.well)
    }
  })
})

describe('a link for anybody that the service rejects', () => {
  it('says so with each field, keeps no place for who could not pay, and sells what it may once it is corrected', async () => {
    const { world, browser, order_id, look } = await open({ use: 'many', count: '1' })
    const { text } = await browser.open(`/console/links/${order_id}`)
    const path = (await world.get(/"(https:\/\/[^"]+\/p\/[^"]+)"/.exec(text)?.[1] ?? '')).headers.get('location') ?? ''
    const press = async (customer: Browser) => {
      const page = await customer.open(path)
      if (page.status !== 200) return page.status
      const { fields } = formTo(page, path)
      return (await customer.raw(path, { method: 'POST', body: new URLSearchParams(fields) })).status
    }
    const customer = () => new Browser((request) => world.fetch(request))
    const [olena, taras] = [customer(), customer()]
    // Each press finds a place, also that of somebody who tries again.
    expect([await press(olena), await press(olena), await press(taras)]).toEqual([422, 422, 422])
    const says = `${en.attention.says.checkout_rejected} ${NEEDED_SHOWN}`
    const attention = await look('/attention')
    expect([attention.split(says).length, attention.includes(`${order_id} `)]).toEqual([2, true])
    const link = await look(`/links/${order_id}`)
    for (const part of [en.link.states.rejected, says, `${en.link.sold} ${en.link.of(0, 1)}`])
      expect(link).toContain(part)
    expect(link).not.toContain(en.link.open)
    expect(await look('/links')).toContain(en.link.states.rejected)
    // Nobody waits: no payment was opened.
    const orders = await look('/orders')
    expect([orders.split(en.states.failed).length, orders.includes(`● ${en.states.waiting}`)]).toEqual([5, false])
    const [, made = ''] = /\/orders\/([^"]+-[^"]+)"/.exec((await browser.open('/console/orders')).text) ?? []
    const order = await browser.open(`/console/orders/${made}`)
    for (const part of [en.states.failed, says]) expect(plain(order.text)).toContain(part)
    expect(order.text).not.toContain('/cancel"')
    world.options.env = { CUSTOMER_EMAIL: 'a@b.example', CUSTOMER_PHONE: '+380441234567', CUSTOMER_PATRONYM: '-' }
    world.begin()
    expect([await press(taras), await press(olena)]).toEqual([303, 410])
    expect(await look('/attention')).toContain(en.attention.well)
    expect(await look(`/links/${order_id}`)).toContain(en.link.full)
  })
})

describe('a message without an order', () => {
  it('has its number and its sum, and is done by a person who may settle', async () => {
    const { world, browser, look } = await open()
    const record = { operation_id: 'op-7', amount: 12.5, currency: 'UAH', status: 'success', method: 'refund' }
    await world.deliver(record as never)
    await world.advance(1_000)
    const shown = await look('/attention')
    for (const part of ['op-7', '12.50', en.attention.says.stray as string, en.attention.done])
      expect(shown).toContain(part)
    const form = await doneForm(browser, '/console/attention/done')
    await browser.submit(form)
    expect(await look('/attention')).toContain(en.attention.well)
    // The cron, which repeats what was lost, brings it back no more; it stays among the strays.
    await world.cron()
    expect(await look('/attention')).toContain(en.attention.well)
    const { strays } = (await (await world.api('/api/strays')).json()) as { strays: object[] }
    expect(strays).toMatchObject([{ reason: 'no_order_id', number: 'op-7', amount: 12.5, currency: 'UAH' }])
    expect((await browser.submit(form)).status).toBe(200)
  })
})
