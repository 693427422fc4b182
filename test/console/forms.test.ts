// Money forms: amounts as people paste them, errors at their field, and pages that can be loaded again.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConsoleRole } from '../../src/shop/console/index.ts'
import { readAmount, readVersion, sumOf, typed } from '../../src/shop/console/lib/amount.ts'
import { wordsIn } from '../../src/shop/console/words/words.ts'
import { english as pagesEn } from '../../src/shop/pages/en.ts'
import { ukrainian as pagesUk } from '../../src/shop/pages/uk.ts'
import amounts from '../corpus/typed-amounts.json' with { type: 'json' }
import { check, SEED } from '../support/property.ts'
import { ADMIN_TOKEN, World } from '../worker/support/world.ts'
import { Browser, type Form, formTo, mount, payOrder, type Shown } from './support/browser.ts'

const en = wordsIn('en')
const uk = wordsIn('uk')

const plain = ({ text }: Pick<Shown, 'text'>): string => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

describe('an amount', () => {
  it.each(amounts.read as [string, number][])('%j is read in both languages', (text, minor) => {
    expect([readAmount(en, text, 'UAH'), readAmount(uk, text, 'UAH')]).toEqual([minor, minor])
  })

  it.each(amounts.unread as [string, 'decimals' | 'format' | 'zero'][])('%j is not read: %s', (text, problem) => {
    const { [problem]: says } = en.amounts
    expect(readAmount(en, text, 'UAH')).toBe(typeof says === 'string' ? says : says('100.50'))
  })

  it('of thousands is one in English, and may be decimals in Ukrainian', () => {
    for (const [text, minor] of [
      ['1,234', 123_400],
      ['12,345', 1_234_500],
    ] as const)
      expect([readAmount(en, text, 'UAH'), readAmount(uk, text, 'UAH')]).toEqual([minor, uk.amounts.decimals])
    expect([en, uk].map((words) => readAmount(words, '12.345', 'UAH'))).toEqual(
      [en, uk].map((one) => one.amounts.decimals),
    )
  })

  it('is of what is left, as the order’s version and what was charged say', () => {
    const left = { capture: 3_500, refund: 3_000, void: 3_500 }
    expect(readVersion('A:10000-6000-1000-500', 4_000)).toEqual({ left, refunded: 1_000 })
    expect(readVersion('A:10000-6000-1000-500')).toMatchObject({ left: { ...left, refund: 5_000 } })
    expect(readVersion('A:10000-6000-1000')).toBe(undefined)
  })

  it('of another currency is read in that one', () => {
    const read = [readAmount(en, '$5', 'USD'), readAmount(uk, 'US$5', 'USD'), readAmount(uk, '5,20 €', 'EUR')]
    const codes = [readAmount(en, 'EUR 5', 'EUR'), readAmount(uk, '5 uah', 'UAH')]
    expect([...read, ...codes]).toEqual([500, 500, 520, 500, 500])
    expect(readAmount(en, '₴5', 'EUR')).toBe(en.amounts.format('100.50'))
  })

  it(`seed ${SEED}: that the console prints, or a person types, is the same when it is pasted into either language`, () =>
    check(
      fc.property(
        fc.integer({ min: 1, max: 10 ** 12 }),
        fc.constantFrom('UAH', 'EUR', 'USD', 'PLN', 'GBP'),
        (minor, currency) => {
          for (const from of [en, uk]) {
            for (const to of [en, uk]) {
              expect(readAmount(to, sumOf(from, minor, currency), currency)).toBe(minor)
              expect(readAmount(to, typed(from, minor), currency)).toBe(minor)
            }
          }
        },
      ),
    ))
})

async function paid(role?: ConsoleRole) {
  const world = new World({ failures: 0 })
  await payOrder(world)
  await world.advance(2_000)
  const browser = await new Browser(mount(world)).signIn()
  return { world, browser, role }
}

/** The names of the texts that say something; one that is a function says it of X. */
const saying = (words: object, what: RegExp, name = ''): string[] =>
  Object.entries(words).flatMap(([key, value]) => {
    const text: unknown = typeof value === 'function' ? value('X', 'X') : value
    if (typeof text !== 'string') return saying(text as object, what, `${name}.${key}`)
    return what.test(text) ? `${name}.${key}` : []
  })

it.each([
  [/nothing was (sent|done)/i, /нічого не (надіслано|зроблено)/i],
  [/no (real )?money move/i, /гроші (зараз )?не рух|кошти не списуються/i],
  [/no link was made/i, /посилання не створено/i],
  [/nobody can pay/i, /за цим посиланням більше не можна сплатити/i],
  [/may still pay/i, /ще може сплатити/i],
  [/not known/i, /невідом/i],
  [/nothing was charged/i, /кошти не списано/i],
])('what says %s in English says the same in Ukrainian', (english, ukrainian) => {
  const said = saying([en, pagesEn], english)
  expect(said).not.toEqual([])
  expect(saying([uk, pagesUk], ukrainian)).toEqual(said)
})

describe('each step', () => {
  it('answers 303 to a page that can be loaded again, and that Back leads to', async () => {
    const { world, browser } = await paid()
    const post = async (shown: Shown, action: RegExp, values: Record<string, string> = {}) => {
      const { action: to, fields } = formTo(shown, action)
      const headers = { origin: browser.origin, 'sec-fetch-site': 'same-origin' }
      const response = await browser.raw(to, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ ...fields, ...values }),
      })
      expect(response.status).toBe(303)
      return response.headers.get('location') ?? ''
    }
    const order = await browser.open('/console/orders/A-1')
    const first = await post(order, /\/refund$/, { amount: '40' })
    const pages = [await browser.open(first), await browser.open(first)]
    // Loaded again, it is the same step with the same key.
    expect(new Set(pages.map((page) => formTo(page, /\/confirm$/).fields.key)).size).toBe(1)
    const receipt = await post(pages[0] as Shown, /\/confirm$/)
    for (const path of [receipt, receipt, first]) expect([path, (await browser.open(path)).status]).toEqual([path, 200])
    await world.advance(5_000)
    for (const act of ['resend', 'erase']) {
      const step = await post(await browser.open('/console/orders/A-1'), new RegExp(`/${act}$`))
      const shown = await browser.open(step)
      const done = await post(shown, /\/confirm$/)
      expect(done).toBe('/console/orders/A-1')
    }
    expect(plain(await browser.open('/console/orders/A-1'))).toContain(en.messages.erase)
    // It is said once.
    expect(plain(await browser.open('/console/orders/A-1'))).not.toContain(en.messages.erase)
  })

  it('that was not done answers 303 too, to a page of this session that shows what was typed and can be loaded again', async () => {
    const { world, browser } = await paid()
    const post = async ({ action, fields }: Form, values: Record<string, string>) => {
      const body = new URLSearchParams({ ...fields, ...values })
      const { status, headers } = await browser.raw(action, {
        method: 'POST',
        headers: { origin: browser.origin },
        body,
      })
      return [status, headers.get('location')]
    }
    const twice = async (path: string) => {
      const [shown, again] = [await browser.open(path), await browser.open(path)]
      expect([shown.status, again.status, plain(again)]).toEqual([400, 400, plain(shown)])
      return shown
    }
    const link = formTo(await browser.open('/console/new-link'), '/console/new-link')
    const typed = { amount: '1x', description: '[Кухоль]', email: 'olena@example.com' }
    expect(await post(link, typed)).toEqual([303, '/console/new-link/wrong'])
    expect(await post(link, { ...typed, name: 'x'.repeat(3_800) })).toEqual([400, null])
    const wrong = await twice('/console/new-link/wrong')
    expect(formTo(wrong, '/console/new-link').fields).toMatchObject({ ...typed, order: link.fields.order })
    expect((await browser.open('/console/new-link')).text).not.toContain('olena@example.com')
    const second = formTo(await browser.open('/console/orders/A-1/refund?amount=40'), /\/confirm$/)
    for (const old of [{ key: '' }, { version: 'A-1' }]) {
      const shown = await browser.submit(second, old as Record<string, string>)
      expect([shown.status, plain(shown).includes('no longer valid')]).toEqual([400, true])
    }
    expect(await post(second, { amount: '1000', reason: 'x'.repeat(3_800) })).toEqual([400, null])
    expect(await post(second, { amount: '1000' })).toEqual([303, '/console/orders/A-1/refund/confirm'])
    expect((await twice('/console/orders/A-1/refund/confirm')).text).toMatch(/value="1000"[^>]* autofocus/)
    // Of this page alone.
    expect((await browser.open('/console/orders/A-1/void/confirm')).url).toBe('/console/orders/A-1')
    const other = new Browser(mount(world))
    await other.signIn()
    other.cookies.set('edgetill_form', browser.cookies.get('edgetill_form') ?? '')
    expect((await other.open('/console/orders/A-1/refund/confirm')).url).toBe('/console/orders/A-1')
  })

  it.each([
    [{ amount: '', description: ' ' }, 'amount', false],
    [{ amount: '', name: 'Олена' }, 'amount', true],
    [{ amount: '', phone: '+380441234567' }, 'amount', true],
    [{ amount: '', email: 'olena@example.com' }, 'amount', true],
    [{ description: ' ' }, 'description', false],
    [{ until: '2026-02-28' }, 'until', true],
    [{ email: 'nobody' }, 'email', true],
    [{ phone: 'abc' }, 'phone', true],
    [{ use: 'many', name: 'Олена' }, 'name', true],
    [{ use: 'many', email: 'olena@shop.example.com' }, 'email', true],
    [{ use: 'many', count: '0' }, 'count', true],
  ])(
    'of a new link with %j has the error at %s, opened and with the rest kept, in the language of the page',
    async (values, name, isOpen) => {
      const { world } = await paid()
      const browser = await new Browser(mount(world), { 'accept-language': 'uk' }).signIn()
      const filled = { amount: '5', currency: 'UAH', description: 'Кухоль', lang: 'uk', ...values }
      const shown = await browser.submit(formTo(await browser.open('/console/new-link'), '/console/new-link'), filled)
      expect([shown.status, /<title>Помилка: /.test(shown.text)]).toEqual([400, true])
      const focused = [...shown.text.matchAll(/<(?:input|select) id="(\w+)"[^>]*autofocus/g)].map(([, id]) => id)
      expect(focused).toEqual([name])
      expect(shown.text).toMatch(new RegExp(`<p class="bad" id="${name}-problem">[А-ЯҐЄІЇа-яґєії]`))
      expect(formTo(shown, '/console/new-link').fields).toMatchObject({ ...values, amount: filled.amount })
      expect(shown.text.includes('<details open>')).toBe(isOpen)
      // No English of the API in it.
      expect(plain({ text: shown.text.replace(/[\s\S]*<main/, '<main').replace(/<footer[\s\S]*/, '') })).not.toMatch(
        /\b(must|customer|invalid|link)\b/,
      )
    },
  )

  it.each([
    ['name', 'Olena'],
    ['phone', '+380441234567'],
    ['email', 'olena@example.com'],
  ])('of a link for anybody says at %s that it names no customer', async (name, text) => {
    const { browser } = await paid()
    const form = formTo(await browser.open('/console/new-link'), '/console/new-link')
    const filled = { amount: '5', currency: 'UAH', description: 'A mug', use: 'many', [name]: text }
    expect((await browser.submit(form, filled)).text).toContain(`id="${name}-problem">${en.newLink.nobody}<`)
  })

  it('of a link over a large amount is asked for once more', async () => {
    const { browser, world } = await paid()
    const filled = { amount: '250 000', currency: 'UAH', description: 'A house' }
    const less = { ...filled, amount: '99 999,99' }
    const other = await browser.submit(formTo(await browser.open('/console/new-link'), '/console/new-link'), less)
    expect(other.url).toMatch(/^\/console\/links\//)
    const asked = await browser.submit(formTo(await browser.open('/console/new-link'), '/console/new-link'), filled)
    expect([asked.status, plain(asked).includes('UAH 250,000.00 is a lot')]).toEqual([400, true])
    expect(await (await world.api('/api/links')).json()).toMatchObject({ links: [{ amount_minor: 9_999_999 }] })
    // What was confirmed is that amount: another large one is asked about too.
    const changed = { ...filled, amount: '260 000', sure: filled.amount }
    expect((await browser.submit(formTo(asked, '/console/new-link'), changed)).status).toBe(400)
    const made = await browser.submit(formTo(asked, '/console/new-link'), { ...filled, sure: filled.amount })
    expect(made.url).toMatch(/^\/console\/links\//)
  })
})

describe('a session that has ended', () => {
  it('says that nothing was done, and leads back to the page of the form', async () => {
    const { world, browser } = await paid()
    const form = formTo(await browser.open('/console/orders/A-1'), /\/refund$/)
    world.time += 31 * 60_000
    const login = await browser.submit(form, { amount: '10' })
    expect([login.status, plain(login).includes(en.login.ended)]).toEqual([403, true])
    const back = await browser.submit(formTo(login, '/console/login'), { password: ADMIN_TOKEN })
    expect(back.url).toBe('/console/orders/A-1')
  })

  it.each(['//evil.example.com', '/\\evil.example.com', 'https://evil.example.com', '/logout', '/login'])(
    'leads nowhere else: %s',
    async (to) => {
      const browser = new Browser(mount(new World()))
      const login = formTo(await browser.open('/console'), '/console/login')
      expect((await browser.submit(login, { password: ADMIN_TOKEN, to })).url).toBe('/console/')
    },
  )
})

describe('a page', () => {
  it('of a link stops loading itself again, and its looks do not keep the session alive', async () => {
    const { browser } = await paid()
    const filled = { amount: '5', currency: 'UAH', description: 'A mug' }
    const link = await browser.submit(formTo(await browser.open('/console/new-link'), '/console/new-link'), filled)
    expect(link.headers.get('refresh')).toBe(`15;url=${link.url}?look=1`)
    const look = await browser.open(`${link.url}?look=19`)
    expect([look.headers.get('refresh'), look.headers.getSetCookie()]).toEqual([`15;url=${link.url}?look=20`, []])
    const last = await browser.open(`${link.url}?look=20`)
    expect([last.headers.get('refresh'), plain(last).includes(en.link.refresh)]).toEqual([null, true])
  })

  it('in the other language keeps what was asked for', async () => {
    const { browser } = await paid()
    const { text } = await browser.open('/console/orders?q=A-1&state=success&from=2026-03-01')
    expect(text).toContain('href="/console/orders?q=A-1&amp;state=success&amp;from=2026-03-01&amp;lang=uk"')
  })
})

it('the day’s totals do not wait for a service that hangs', async () => {
  const { world, browser } = await paid()
  await world.advance(20_000)
  world.intercept = (url) => (url.includes('/account') ? new Promise<Response>(() => {}) : undefined)
  const began = performance.now()
  const day = await browser.open('/console/day')
  expect(performance.now() - began).toBeLessThan(25_000)
  expect(plain(day)).toMatch(/Taken UAH 100\.50.*All operations as a file.*What the accounts hold is not known now/)
})

describe('a link', () => {
  it('for anybody has a code to print, how many orders it has made, and each of them; closed, it ends what is unpaid', async () => {
    const { browser, world } = await paid()
    const filled = { amount: '50', currency: 'UAH', description: 'A mug', use: 'many', count: '30', until: '' }
    const made = await browser.submit(formTo(await browser.open('/console/new-link'), '/console/new-link'), filled)
    const [, to = ''] = /address"><a href="([^"]+)"/.exec(made.text) ?? []
    for (let i = 0; i < 21; i++) {
      const customer = new Browser(mount(world))
      const page = await customer.open(to)
      const { fields } = formTo(page, /checkout/)
      const pressed = await customer.raw(page.url, { method: 'POST', body: new URLSearchParams(fields) })
      if (i === 0) await world.pay(pressed.headers.get('location') ?? '')
      await world.advance(1)
    }
    await world.advance(20_000)
    const shown = await browser.open(made.url)
    expect([shown.text.match(/href="\/console\/orders\/\w+-/g)?.length, plain(shown)]).toEqual([
      20,
      expect.stringContaining('Sold 1 of 30 Not paid yet 20'),
    ])
    const [, older = ''] = /href="([^"]+\?cursor=[^"]+)"/.exec(shown.text) ?? []
    expect(plain(await browser.open(older))).toMatch(/A mug ✓ Paid .*UAH 50\.00 Signed/)
    const step = await browser.submit(formTo(shown, /\/revoke$/))
    const closed = await browser.submit(formTo(step, /\/revoke$/))
    expect([closed.url, world.payable('')]).toEqual([made.url, []])
  })
})
