// Who gets in, and what a form of another page, session or site is worth.
import { describe, expect, it } from 'vitest'
import { markOf } from '../../src/checkout-link/seal.ts'
import type { ShopEnv } from '../../src/shop/index.ts'
import { payment } from '../worker/support/events.ts'
import { ADMIN_TOKEN, World } from '../worker/support/world.ts'
import { Browser, formTo, mount, payOrder } from './support/browser.ts'

const SIGNED_IN = /Signed in as admin/
const LOGIN = /name="password"/
const SESSION = '__Host-edgetill'
const HOUR_MS = 3_600_000

async function signedIn(env: Partial<ShopEnv> = {}) {
  const world = new World()
  const send = mount(world, {}, env)
  return { world, send, browser: await new Browser(send).signIn() }
}

describe('the login', () => {
  it('lets the bearer of ADMIN_TOKEN in, with a new session', async () => {
    const browser = new Browser(mount(new World()))
    const login = await browser.open('/console/record')
    const planted = browser.cookies.get(SESSION)
    expect(login.text).toMatch(LOGIN)
    const home = await browser.submit(formTo(login, '/console/login'), { password: ADMIN_TOKEN })
    // To the page that was asked for.
    expect([home.status, home.url, home.text]).toEqual([200, '/console/record', expect.stringMatching(SIGNED_IN)])
    expect(browser.cookies.get(SESSION)?.split('.')[1]).not.toBe(planted?.split('.')[1])
    const [cookie] = home.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-edgetill=[^;]+; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    const { action, fields } = formTo(home, '/console/logout')
    const out = await browser.raw(action, { method: 'POST', body: new URLSearchParams(fields) })
    expect([out.status, browser.cookies.has(SESSION)]).toEqual([303, false])
  })

  it('works on this machine over http, where a browser stores no secure cookie', async () => {
    const browser = new Browser(mount(new World()), {}, 'http://localhost:8787')
    await browser.signIn()
    const { text, headers } = await browser.open('/console')
    expect(text).toMatch(SIGNED_IN)
    expect(headers.getSetCookie()[0]).toMatch(/^edgetill=[^;]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Strict$/)
    for (const elsewhere of ['https://localhost:8787', 'http://pay.shop.example.com']) {
      const shown = await new Browser(mount(new World()), {}, elsewhere).open('/console')
      expect(shown.headers.getSetCookie()[0]).toMatch(/^__Host-edgetill=.*; Secure;/)
    }
  })

  it('leads to the same page with a slash at the end of its address', async () => {
    const browser = await new Browser(mount(new World())).signIn()
    const shown = await Promise.all(['/console/links', '/console/links/'].map((path) => browser.open(path)))
    expect(shown.map(({ status }) => status)).toEqual([200, 200])
  })

  it('takes the form of an old browser, which says nothing of where it was', async () => {
    const browser = new Browser(mount(new World()))
    const { action, fields } = formTo(await browser.open('/console'), '/console/login')
    const body = new URLSearchParams({ ...fields, password: ADMIN_TOKEN })
    expect((await browser.open(action, { method: 'POST', body })).text).toMatch(SIGNED_IN)
  })

  it.each([{ ADMIN_TOKEN: '' }, { ADMIN_TOKEN: 'short' }, { PEOPLE: '{"olena":{"token":"short","role":"all"}}' }])(
    'lets nobody in while a token is of no use: %j',
    async (env) => {
      const send = mount(new World(), {}, env)
      for (const path of ['/console', '/console/orders/A-1']) {
        const { status, text } = await new Browser(send).open(path)
        expect([status, text]).toEqual([503, expect.stringContaining(`wrangler secret put ${Object.keys(env)}`)])
      }
    },
  )

  it('lets the right token in whatever others have tried, and a wrong one costs no call of the database', async () => {
    const world = new World()
    const send = mount(world)
    const stranger = new Browser(send)
    const form = formTo(await stranger.open('/console'), '/console/login')
    for (let i = 0; i < 200; i++) {
      const password = i % 2 === 0 ? `guess ${i}` : ADMIN_TOKEN.slice(0, -1)
      expect((await stranger.submit(form, { password })).status).toBe(403)
    }
    expect(world.object.calls.object).toBe(0)
    await new Browser(send).signIn()
    expect((await stranger.submit(form, { password: ADMIN_TOKEN })).text).toMatch(SIGNED_IN)
  })

  it('works while the database fails, and the page says that it does not know', async () => {
    const world = new World()
    const TILL: ShopEnv['TILL'] = {
      idFromName: (name) => name,
      get: () => ({ fetch: () => Promise.reject(new Error('gone')) }),
    }
    const browser = new Browser(mount(world, {}, { TILL }))
    const form = formTo(await browser.open('/console'), '/console/login')
    const shown = await browser.submit(form, { password: ADMIN_TOKEN })
    expect([shown.status, shown.text]).toEqual([200, expect.stringMatching(SIGNED_IN)])
    expect(shown.text).toContain('What was taken is not known now')
  })
})

describe('a session', () => {
  it('ends after half an hour without use, and after twelve hours in any case', async () => {
    const { world, browser } = await signedIn()
    for (let hours = 0; hours < 11.6; hours += 0.4) {
      world.time += 0.4 * HOUR_MS
      expect((await browser.open('/console')).text).toMatch(SIGNED_IN)
    }
    world.time += 0.4 * HOUR_MS
    expect((await browser.open('/console')).text).toMatch(LOGIN)
    await browser.signIn()
    world.time += 0.51 * HOUR_MS
    expect((await browser.open('/console')).text).toMatch(LOGIN)
  })

  const guestOf = async () => {
    const browser = new Browser(mount(new World()))
    await browser.open('/console')
    return browser.cookies.get(SESSION) ?? ''
  }
  const forge = async (secret: string, text: string) => `${await markOf(secret, 'console session', text)}.${text}`
  it.each<[string, (real: string, now: number) => string | Promise<string>]>([
    ['nothing', () => ''],
    ['no signature', (real) => real.replace(/^[^.]+/, '')],
    ['another signature', (real) => real.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['one of another name', (real) => real.replace(/[^.]+$/, 'olena')],
    ['a guest’s that calls itself admin', async () => `${await guestOf()}admin`],
    ['a longer life', (real) => real.replace(/\d+(?=\.admin$)/, '9999999999999')],
    ['another secret', (_, now) => forge('another-secret-of-32-characters-here', `id.${now}.${now + HOUR_MS}.admin`)],
    ['one that has just ended', (_, now) => forge(ADMIN_TOKEN, `id.${now - HOUR_MS}.${now}.admin`)],
  ])('is not one: %s', async (_, forged) => {
    const { world, browser } = await signedIn()
    browser.cookies.set(SESSION, await forged(browser.cookies.get(SESSION) ?? '', world.time))
    expect((await browser.open('/console')).text).toMatch(LOGIN)
  })

  it('ends when ADMIN_TOKEN is replaced', async () => {
    const { world, browser } = await signedIn()
    const renewed = new Browser(
      mount(world, {}, { ADMIN_TOKEN: 'another-token-of-32-characters-here', ADMIN_TOKEN_PREVIOUS: ADMIN_TOKEN }),
    )
    renewed.cookies = browser.cookies
    expect((await renewed.open('/console')).text).toMatch(LOGIN)
    // The former token still lets its bearer in.
    await renewed.signIn(ADMIN_TOKEN)
    expect((await renewed.open('/console')).text).toMatch(SIGNED_IN)
  })
})

describe('somebody of PEOPLE', () => {
  const token = (name: string) => `${name}-has-a-token-of-32-characters`
  const peopleWith = (people: Record<string, string>) =>
    JSON.stringify(
      Object.fromEntries(Object.entries(people).map(([name, role]) => [name, { token: token(name), role }])),
    )

  it('signs in with a name and a token, and has the role of now; the record has the name', async () => {
    const world = new World()
    const env = { PEOPLE: peopleWith({ olena: 'sell', taras: 'view' }) }
    const browser = new Browser(mount(world, {}, env))
    const form = formTo(await browser.open('/console'), '/console/login')
    for (const [username, password] of [
      ['taras', token('olena')],
      ['admin', token('olena')],
      ['api', ADMIN_TOKEN],
    ]) {
      expect((await browser.submit(form, { username, password } as Record<string, string>)).status).toBe(403)
    }
    const home = await browser.submit(form, { username: 'olena', password: token('olena') })
    expect(home.text).toContain('Signed in as olena')
    const made = { amount: '10', description: 'A mug', method: 'purchase', currency: 'UAH' }
    await browser.submit(formTo(await browser.open('/console/new-link'), '/console/new-link'), made)
    const { links } = (await (await world.api('/api/links')).json()) as { links: { by: string }[] }
    expect(links.map(({ by }) => by)).toEqual(['olena'])
    env.PEOPLE = peopleWith({ olena: 'view' })
    expect((await browser.open('/console/new-link')).status).toBe(403)
    env.PEOPLE = peopleWith({ olena: 'view' }).replace('olena-has', 'olena-had')
    expect((await browser.open('/console')).text).toMatch(LOGIN)
    env.PEOPLE = ''
    expect((await browser.open('/console')).text).toMatch(LOGIN)
  })

  it('ends every copy of the session by signing out', async () => {
    const { world, browser, send } = await signedIn()
    await world.deliver(payment('A-1'))
    const [copy, cookies] = [new Browser(send), new Map(browser.cookies)]
    copy.cookies = new Map(cookies)
    const [home, order] = [await copy.open('/console'), await copy.open('/console/orders/A-1')]
    expect(home.text).toMatch(SIGNED_IN)
    const later = await new Browser(send).signIn()
    for (const one of [browser, later]) await one.submit(formTo(await one.open('/console'), '/console/logout'))
    expect((await copy.open('/console')).text).toMatch(LOGIN)
    expect((await copy.submit(formTo(home, '/console/logout'))).text).toMatch(LOGIN)
    // Where it cannot be known that it has ended, nothing is done.
    const get = () => ({ fetch: () => Promise.reject(new Error('reset')) })
    world.options.env = { TILL: { ...world.env().TILL, get } }
    copy.cookies = cookies
    expect((await copy.submit(formTo(order, '/console/orders/A-1/notes'), { text: 'x' })).status).toBe(503)
  })

  it('keeps nobody else waiting who tries wrong tokens', async () => {
    const send = mount(new World(), {}, { PEOPLE: peopleWith({ olena: 'view' }) })
    const at = (address: string): Browser =>
      new Browser((request) =>
        send(
          new Request(request, { headers: { ...Object.fromEntries(request.headers), 'cf-connecting-ip': address } }),
        ),
      )
    const [stranger, own] = [at('192.0.2.1'), at('192.0.2.2')]
    const signed = await at('192.0.2.1').signIn()
    const form = formTo(await stranger.open('/console/record'), '/console/login')
    for (let i = 0; i < 10; i++) expect((await stranger.submit(form, { password: `${i}` })).status).toBe(403)
    const waiting = await stranger.submit(form, { password: ADMIN_TOKEN, username: 'olena' })
    expect([waiting.status, waiting.text]).toEqual([429, expect.stringContaining('Wait a minute')])
    // It is the same form, for the same page.
    expect(formTo(waiting, '/console/login').fields).toMatchObject({ to: '/record', username: 'olena' })
    expect((await signed.open('/console')).text).toMatch(SIGNED_IN)
    expect((await (await own.signIn()).open('/console')).text).toMatch(SIGNED_IN)
  })
})

describe('a form', () => {
  type Post = Awaited<ReturnType<typeof signedIn>> & { csrf: string; body: Record<string, string> }
  it.each<[string, (post: Post) => Promise<{ csrf?: string; headers?: Record<string, string> }>]>([
    ['without csrf', async () => ({})],
    ['with a wrong csrf', async ({ csrf }) => ({ csrf: csrf.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) })],
    [
      'of another form',
      async ({ browser }) => ({ csrf: formTo(await browser.open('/console'), '/console/logout').fields.csrf ?? '' }),
    ],
    [
      'of another session',
      async ({ send }) => {
        const other = await new Browser(send).signIn()
        return { csrf: formTo(await other.open('/console/orders/A-1'), /erase$/).fields.csrf ?? '' }
      },
    ],
    ['from another site', async ({ csrf }) => ({ csrf, headers: { origin: 'https://evil.example.com' } })],
    ['from another port', async ({ csrf }) => ({ csrf, headers: { origin: 'https://pay.shop.example.com:8443' } })],
    ['from nowhere', async ({ csrf }) => ({ csrf, headers: { origin: 'null' } })],
    ['from a sister site', async ({ csrf }) => ({ csrf, headers: { 'sec-fetch-site': 'same-site' } })],
  ])('%s does nothing', async (_, attack) => {
    const here = await signedIn()
    await payOrder(here.world)
    const { action, fields } = formTo(await here.browser.open('/console/orders/A-1'), /erase$/)
    const { csrf, headers = {} } = await attack({ ...here, csrf: fields.csrf ?? '', body: fields })
    for (const path of [action, `${action}/confirm`]) {
      const body = new URLSearchParams(csrf === undefined ? {} : { csrf })
      const response = await here.browser.raw(path, { method: 'POST', headers, body })
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('Nothing was done')])
    }
    expect(await (await here.world.api('/api/orders/A-1')).text()).toContain('olena@example.com')
  })
})

it('each cookie is for no script and no other site, and lasts no longer than it is needed', async () => {
  const { world, browser } = await signedIn()
  await payOrder(world)
  await browser.submit(formTo(await browser.open('/console/new-link'), /new-link/))
  await browser.submit(formTo(await browser.open('/console/orders/A-1?lang=en'), /notes$/), { text: 'x' })
  const strict = (path: string) => `Path=${path}; HttpOnly; Secure; SameSite=Strict`
  expect(browser.attributes).toEqual({
    [SESSION]: `Max-Age=1800; ${strict('/')}`,
    edgetill_form: `Max-Age=600; ${strict('/console')}`,
    edgetill_lang: 'Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax',
    edgetill_message: `Max-Age=60; ${strict('/console')}`,
  })
})

describe('every page', () => {
  it.each(['/console', '/console/orders/A-1', '/console/nothing', '/console/style.css'])(
    '%s has a strict policy, is not stored where it shows something, and has no script or style of its own',
    async (path) => {
      const { browser } = await signedIn()
      const { headers, text } = await browser.open(path)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'",
      )
      expect(headers.get('cache-control')).toBe(path.endsWith('.css') ? 'public, max-age=300' : 'no-store')
      expect(headers.get('content-type')).toMatch(/^text\/(css|html); charset=utf-8$/)
      const names = ['referrer-policy', 'strict-transport-security', 'x-content-type-options']
      expect(names.map((name) => headers.get(name))).toEqual(['same-origin', 'max-age=31536000', 'nosniff'])
      expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
    },
  )

  it('looks different in test mode, is in the chosen language, and leaves the engine’s routes alone', async () => {
    const { browser, send } = await signedIn({ MODE: 'test' })
    expect((await browser.open('/console/record')).text).toContain('no real money moves')
    expect((await browser.open('/console?lang=uk')).text).toContain('Тестовий режим')
    expect((await browser.open('/console')).text).toContain('Сьогодні')
    expect((await browser.open('/console?lang=en')).text).toContain('Today')
    const icon = await new Browser(send).raw('/console/icon.png')
    expect([icon.headers.get('content-type'), (await icon.text()).slice(1, 4)]).toEqual(['image/png', 'PNG'])
    expect((await new Browser(send).open('/health')).text).toContain('"status"')
    expect((await new Browser(send).open('/nothing')).headers.get('content-security-policy')).not.toContain(
      'manifest-src',
    )
  })
})
