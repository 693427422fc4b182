// Cloudflare Access in front of the console: its tokens are verified with its keys, and roles are by e-mail.
import { sign } from 'hono/jwt'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ConsoleRole } from '../../src/shop/console/index.ts'
import { csrfOf, formSecretOf } from '../../src/shop/console/session.ts'
import { payment, secondary } from '../worker/support/events.ts'
import { World } from '../worker/support/world.ts'
import { Browser, formsOf, formTo, mount, orderOf, payOrder } from './support/browser.ts'

const AUDIENCE = 'the-audience-tag'
const ISSUER = 'https://mugs.cloudflareaccess.com'
const OLENA = 'olena@shop.example.com'

async function newKey(kid: string) {
  const publicExponent = new Uint8Array([1, 0, 1])
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent, hash: 'SHA-256' }
  const pair = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
  const [secret, shown] = await Promise.all(
    [pair.privateKey, pair.publicKey].map((key) => crypto.subtle.exportKey('jwk', key)),
  )
  return { secret: { ...secret, kid, alg: 'RS256' }, shown: { ...shown, kid, alg: 'RS256', use: 'sig' } }
}
const [KEY, OTHER] = await Promise.all([newKey('first'), newKey('second')])
type Key = typeof KEY

const seconds = (): number => Math.floor(Date.now() / 1000)
const claims = (more: object = {}) => {
  const times = { iat: seconds() - 5, exp: seconds() + 600 }
  return { iss: ISSUER, aud: [AUDIENCE], email: OLENA, ...times, ...more }
}
const tokenOf = (more: object = {}, { secret }: Key = KEY): Promise<string> =>
  sign(claims(more), secret as never, 'RS256')

/** A console behind Access. `keys` are what Access publishes; the fetches of them are counted. */
function behindAccess(roles?: Record<string, ConsoleRole>, keys: Key[] = [KEY], isGlobal = false) {
  const world = new World()
  const fetched: string[] = []
  const fetch = async (url: RequestInfo | URL, init?: RequestInit) => {
    // Without a limit Access could keep everybody waiting.
    fetched.push(`${url} ${init?.signal ? 'for a while' : 'for ever'}`)
    return Response.json({ keys: keys.map(({ shown }) => shown) })
  }
  const send = mount(world, {
    access: { team: 'mugs', audience: AUDIENCE },
    roles,
    fetch: isGlobal ? undefined : (fetch as typeof globalThis.fetch),
  })
  const as = (token: string) => new Browser(send, { 'cf-access-jwt-assertion': token })
  return { world, send, as, fetched, fetch, keys }
}

const encode = (value: object): string =>
  btoa(JSON.stringify(value)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_')

describe('a token of Access', () => {
  it.each([false, true])('names who acts, and its keys are fetched once, by the global fetch: %j', async (isGlobal) => {
    const { as, fetched, fetch } = behindAccess(undefined, [KEY], isGlobal)
    if (isGlobal) vi.stubGlobal('fetch', fetch)
    onTestFinished(() => void vi.unstubAllGlobals())
    const browser = as(await tokenOf({ email: 'Olena@Shop.example.com' }))
    for (let i = 0; i < 3; i++) expect((await browser.open('/console')).text).toContain(`Signed in as ${OLENA}`)
    expect((await browser.open('/console/more')).text).toContain('href="/cdn-cgi/access/logout"')
    expect(fetched).toEqual([`${ISSUER}/cdn-cgi/access/certs for a while`])
  })

  it('is not asked for on this machine, where the login is', async () => {
    const own = await new Browser(behindAccess().send, {}, 'http://localhost:8787').signIn()
    expect((await own.open('/console')).text).toContain('Signed in as admin')
  })

  it('may be of a clock that is seconds ahead', async () => {
    const { as } = behindAccess()
    vi.setSystemTime(seconds() * 1_000)
    onTestFinished(() => void vi.useRealTimers())
    for (const claim of ['iat', 'nbf']) {
      const [ahead, far] = [await tokenOf({ [claim]: seconds() + 30 }), await tokenOf({ [claim]: seconds() + 31 })]
      expect([(await as(ahead).open('/console')).status, (await as(far).open('/console')).status]).toEqual([200, 403])
    }
  })

  it.each<[string, () => Promise<string> | string]>([
    ['absent', () => ''],
    ['noise', () => 'a.b.c'],
    ['of another audience', () => tokenOf({ aud: ['another'] })],
    ['of another team', () => tokenOf({ iss: 'https://evil.cloudflareaccess.com' })],
    ['expired', () => tokenOf({ exp: seconds() - 1 })],
    ['without an expiry', () => tokenOf({ exp: undefined })],
    ['of a beginning that is no time', () => tokenOf({ iat: 'soon' })],
    ['of a service', () => tokenOf({ email: undefined, common_name: 'robot' })],
    ['signed by another key', () => tokenOf({}, { ...OTHER, secret: { ...OTHER.secret, kid: 'first' } })],
    ['signed by an unknown key', () => tokenOf({}, OTHER)],
    ['unsigned', () => `${encode({ alg: 'none', kid: 'first', typ: 'JWT' })}.${encode(claims())}.`],
    ['signed with the public key as a secret', async () => sign(claims(), JSON.stringify(KEY.shown), 'HS256')],
  ])('lets nobody in that is %s', async (_, make) => {
    const { as, send } = behindAccess()
    const token = await make()
    const shown = await (token === '' ? new Browser(send) : as(token)).open('/console/orders/A-1')
    expect([shown.status, shown.text]).toEqual([403, expect.stringContaining('Cloudflare Access did not confirm')])
  })

  it('is verified with a new key after a rotation, and unknown keys are asked for once a minute', async () => {
    const { world, as, fetched, keys } = behindAccess()
    await as(await tokenOf()).open('/console')
    keys.push(OTHER)
    const rotated = await tokenOf({}, OTHER)
    const status = async (later: number): Promise<number> => {
      world.time += later
      return (await as(rotated).open('/console')).status
    }
    expect([await status(0), await status(59_999), await status(1)]).toEqual([403, 403, 200])
    const third = { ...OTHER, secret: { ...OTHER.secret, kid: 'third' } }
    for (let i = 0; i < 5; i++) expect((await as(await tokenOf({}, third)).open('/console')).status).toBe(403)
    expect(fetched.length).toBe(2)
    // A known key is asked for again after an hour.
    expect([await status(3_599_999), fetched.length, await status(1), fetched.length]).toEqual([200, 2, 200, 3])
  })
})

describe('a role', () => {
  const roles: Record<string, ConsoleRole> = {
    'limited@x.example': { refund: 50 },
    'all@x.example': 'all',
    'view@x.example': 'view',
  }
  const REFUND = '/console/orders/A-1/refund'

  async function paid() {
    const here = behindAccess(roles)
    await payOrder(here.world)
    const as = async (email: string) => here.as(await tokenOf({ email }))
    const refunded = async () => (await orderOf(here.world)).totals.refunded_minor
    return { ...here, as, refunded }
  }
  const acts = (shown: { text: string }) =>
    formsOf(shown)
      .map(({ action }) => action.split('/').at(-1))
      .filter((act) => act !== 'logout')

  it.each([
    ['view@x.example', []],
    ['nobody@x.example', []],
    ['constructor', []],
    ['limited@x.example', ['refund', 'notes']],
    ['all@x.example', ['refund', 'resend', 'erase', 'notes']],
  ])('of %s shows the buttons %j', async (email, shown) => {
    const { as } = await paid()
    expect(acts(await (await as(email)).open('/console/orders/A-1'))).toEqual(shown)
  })

  it('may refund so much of one order: of all attempts at paying it, with what is pending', async () => {
    const { as, world } = await paid()
    await world.deliver(payment('A-1~2'))
    world.intercept = (url) =>
      url.endsWith('/refund')
        ? Promise.resolve(Response.json(secondary('A-1', 'refund', { status: 'pending', amount: 30 })))
        : undefined
    const limited = await as('limited@x.example')
    const refund = async (id: string) => {
      const path = `/console/orders/${encodeURIComponent(id)}/refund`
      const step = await limited.submit(formTo(await limited.open(path.slice(0, -7)), path), { amount: '30' })
      return step.status === 200 ? limited.submit(formTo(step, `${path}/confirm`)) : step
    }
    expect((await refund('A-1~1')).status).toBe(200)
    const shown = [await refund('A-1~1'), await refund('A-1~2')]
    for (const { status, text } of shown)
      expect([status, text]).toEqual([400, expect.stringContaining('up to UAH 50.00')])
    expect((await orderOf(world)).operations.filter(({ method }) => method === 'refund')).toHaveLength(1)
  })

  it('is enforced at the act: no form of another session, and no amount above the limit of an order', async () => {
    const { as, refunded, world } = await paid()
    const [all, limited] = [await as('all@x.example'), await as('limited@x.example')]
    const first = formTo(await limited.open('/console/orders/A-1'), REFUND)
    expect((await limited.submit(first, { amount: '50.01' })).text).toContain('up to UAH 50.00')
    expect((await limited.submit(first, { amount: '50' })).status).toBe(200)
    const step = formTo(await limited.submit(first, { amount: '30' }), `${REFUND}/confirm`)
    expect((await limited.submit(step, { amount: '50.01' })).status).toBe(400)
    // The totals that the limit is compared with are the gate's, not the form's.
    expect((await limited.submit(step, { amount: '30', version: 'A-1:10050-10050-1-0' })).status).toBe(412)
    expect((await limited.submit(step)).status).toBe(200)
    await world.advance(5_000)
    const second = formTo(await limited.open('/console/orders/A-1'), REFUND)
    expect(second.fields.amount).toBe('20.00')
    expect((await limited.submit(second, { amount: '30' })).text).toContain('up to UAH 50.00')
    // The limit itself may be refunded.
    expect((await limited.submit(second)).status).toBe(200)
    const erase = formTo(await all.open('/console/orders/A-1'), /erase$/)
    expect((await limited.submit(erase)).status).toBe(403)
    expect(await refunded()).toBe(3000)
  })

  it('of `view` may not act, not even with a form of its session', async () => {
    const { send, refunded, world } = await paid()
    const email = 'view@x.example'
    const token = await tokenOf({ email })
    const browser = new Browser(send, { 'cf-access-jwt-assertion': token })
    expect((await browser.open('/console')).text).not.toContain('href="/console/new-link"')
    const money = { amount: '1', key: 'a-key-of-its-own-making', version: '10050-10050-0-0', currency: 'UAH' }
    const steps = ['capture', 'refund', 'void', 'cancel', 'resend', 'settle', 'replay', 'erase']
    const acts = [...steps, ...steps.map((step) => `${step}/confirm`), 'notes', 'done', 'find']
    const ofLinks = ['new-link', 'links/A-1/revoke', 'links/A-1/cancel']
    for (const act of [...acts.map((act) => `orders/A-1/${act}`), ...ofLinks]) {
      const action = `/console/${act}`
      const csrf = await csrfOf(await formSecretOf(token, email), action)
      const shown = await browser.submit({
        action,
        fields: { csrf, ...money, text: 'a note', kind: 'flag', sure: 'yes' },
      })
      expect([act, shown.status, shown.text]).toEqual([act, 403, expect.stringContaining('You may not do this')])
    }
    expect(await refunded()).toBe(0)
    expect((await orderOf(world)) as object).toMatchObject({ record: [] })
  })
})
