// Every page of the console as it stands: a difference in console-pages.txt is what a person sees otherwise. It shows, and decides
// nothing: sums, periods, rights and buttons have tests with names in test/console.
import { expect, it } from 'vitest'
import { Browser, formTo, mount, payOrder, type Shown } from '../console/support/browser.ts'
import { payment, secondary } from '../worker/support/events.ts'
import { ORDER, World } from '../worker/support/world.ts'

/** A page without what chance has chosen, nor what an order's events are in full. */
const withoutChance = (text: string): string =>
  text
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
    .replaceAll(/((?:name="(?:csrf|id)" value|cursor)="?|events\/|links\/(?=[\w-]{40}))[\w-]+/g, '$1…')
    .replaceAll(/\b[A-HJ-NP-Z2-9]{10}\b/g, 'ORDER')
    .replaceAll(/(\/p\/|%2Fp%2F)[\w-]{16}/g, '$1SHORT')
    // How many calls of objects came before.
    .replaceAll(/([,;]"\d\d:\d\d):\d\d"/g, '$1:…"')
    .replaceAll(/(<pre tabindex="0">|<path stroke="#000" d=")[^<"]*/g, '$1…')

/** A line for each tag with attributes. Of the frame, which is whole on the page More: the title, and where the menu stands. */
function linesOf({ status, url, text, headers }: Shown, calls: readonly string[]): string[] {
  const [frame = '', main = text] = text.split(/<\/?main[^>]*>/)
  const [, title = ''] = /<title>(.*?)<\/title>/.exec(frame) ?? []
  const menu = [...frame.matchAll(/href="([^"]*)" aria-current="(\w+)"/g)].map(([, to, is]) => `${to} ${is}`)
  const shown = withoutChance(url.endsWith('/more') ? text : main)
  const ids = [...shown.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
  expect([url, ids.filter((id, i) => ids.indexOf(id) !== i)]).toEqual([url, []])
  const lines = shown.split(/(?:<\/\w+>|<\w+>|\s)*(?:\n|<\/\w+>|<\w+>)\s*/).filter(Boolean)
  const names = [text.startsWith('<!') ? 'content-language' : 'content-type', 'content-disposition', 'refresh']
  const heads = names.flatMap((name) => headers.get(name) ?? [])
  const head = `\n# ${url} ${[status, ...heads].join(' ')}\n${title} (${menu.join()})`
  return [withoutChance(head), withoutChance(calls.join(' ')), ...lines]
}

const pages: string[] = []
/** The calls of the shop since the last page was noted. */
const calls: string[] = []
/** Lines that an earlier page has shown. */
const known = new Set<string>()
const note = (shown: Shown): Shown => {
  const [head = '', called = '', ...lines] = linesOf(shown, calls.splice(0))
  pages.push(head, called)
  let repeated = 0
  const endRun = () => repeated > 0 && pages.push(`… ${repeated} known`)
  for (const line of lines) {
    if (known.has(line)) repeated++
    else {
      endRun()
      repeated = 0
      pages.push(line)
      known.add(line)
    }
  }
  endRun()
  return shown
}

const HOSTS = ['worker', 'server'] as const
it.each(HOSTS)(
  'each page shows on a %s what a reviewer has seen; `npx vitest run console-pages -u` writes a difference down, to be read',
  async (host) => {
    for (const list of [pages, calls]) list.length = 0
    known.clear()
    const world = new World({ host, failures: 0, env: { SHOP_NAME: 'Cups', SHOP_TZ: 'Europe/Kyiv' } })
    // No two acts are of one moment: which of them comes first would be chance.
    world.object.before = () => void world.time++
    const { api } = world.shop
    world.shop.api = (request, ...rest) => {
      const { pathname, search } = new URL(request.url)
      calls.push(`${request.method} ${pathname.slice('/api/'.length)}${search}`)
      return api(request, ...rest)
    }
    const browser = await new Browser(mount(world)).signIn()
    const look = async (paths: string, by = browser): Promise<void> => {
      for (const path of paths.split(' ')) note(await by.open(`/console${path}`))
    }
    /** Presses the button of a page's form that posts to an address. */
    const press = async (page: string | Shown, to: RegExp, values: Record<string, string> = {}): Promise<Shown> => {
      await world.advance(1_000)
      const shown = typeof page === 'string' ? await browser.open(`/console${page}`) : page
      return note(await browser.submit(formTo(shown, to), values))
    }
    const stranger = new Browser(mount(world))
    await look('/orders/A-1/refund /login', stranger)
    for (const values of [{ password: 'x' }, { csrf: 'x' }])
      note(await stranger.submit(formTo(await stranger.open('/console'), /login/), values as Record<string, string>))
    await look('/', new Browser(mount(world, {}, { ADMIN_TOKEN: 'short' })))
    await look('/', new Browser(mount(world, { access: { team: 'mugs', audience: 'x' } })))
    await look('/ /orders/ /links /record /attention /day /more /new-link /nothing')
    await look('/orders/X /orders/X/refund /links/X /links/X/close /new-link?again=X')

    const make = (values: Record<string, string>) => press('/new-link', /new-link/, { currency: 'UAH', ...values })
    const filled = { amount: '50', description: 'A jug', name: 'Taras', phone: '+380441234567', email: 't@example.com' }
    for (const wrong of [{ amount: '1x' }, { amount: '100000' }, { use: 'many', count: '0', name: '' }, { email: 'x' }])
      await make({ ...filled, ...wrong })
    await make({ ...filled, description: ' ' })
    const link = (await make({ ...filled, until: '2026-03-01' })).url.slice('/console'.length)
    const many = (await make({ amount: '5', description: 'A cup', use: 'many', count: '3' })).url.slice(
      '/console'.length,
    )
    await look(`${link}?look=20 ${link}/close ${many}/close /new-link?again=${link.split('/').at(-1)}`)
    await look(`/new-link?again=${many.split('/').at(-1)}`)
    const open = async (path: string): Promise<string> => {
      const [, to = ''] = /href="(https:[^"]*\/p\/[^"]+)"/.exec((await browser.open(`/console${path}`)).text) ?? []
      const customer = new Browser(mount(world))
      const page = await customer.open(to)
      const body = new URLSearchParams(formTo(page, /checkout/).fields)
      return (await customer.raw(page.url, { method: 'POST', body })).headers.get('location') ?? ''
    }
    for (const path of [link, many]) {
      await open(path)
      await world.advance(20_000)
      await look('/')
    }
    await look(`${link} ${link.replace('links', 'orders')} ${many}`)
    for (const values of [{ id: 'x' }, {}]) await press(`${link}/close`, /revoke/, values as Record<string, string>)
    world.intercept = () => Response.json({}, { status: 503 })
    const closing = await press(`${many}/close`, /revoke/)
    await look(/href="\/console(\/orders\/[^"]+)"/.exec(closing.text.split('<main')[1] ?? '')?.[1] ?? '')
    world.intercept = undefined
    const paid = (await make({ amount: '8', currency: 'EUR', description: 'A pot' })).url.slice('/console'.length)
    await world.pay(await open(paid))
    await world.advance(20_000)
    await look(`/ ${paid} ${paid.replace('links', 'orders')}`)
    await look('/links /links?state=revoked /links?state=sent')
    const hat = (await make({ amount: '4', description: 'A hat' })).url.slice('/console'.length)
    await press(`${hat}/close`, /revoke/)
    await world.send(
      '/api/links',
      { order: { ...ORDER, order_id: 'I-1' }, reference: 'Invoice 7', landing: true },
      'link',
    )
    await look('/links/I-1 /new-link?again=I-1')
    await open('/links/I-1')
    await look('/orders/I-1')
    const short = { amount: '3', description: 'A pin', until: '2026-03-01' }
    const unused = (await make(short)).url.slice('/console'.length)
    const held = (await make({ ...short, method: 'auth' })).url.slice('/console'.length)
    await open(held)

    await payOrder(world, 'auth')
    await world.advance(2_000)
    await world.send('/api/orders/A-1/capture', { charge_amount: 40 }, 'k')
    await world.advance(20_000)
    const olena = { customer_fname: 'Olena', customer_email: 'olena@example.org' }
    await world.deliver(payment('B-1', { currency: 'USD', description: 'A vase', ...olena }))
    await world.deliver(payment('C-1', { status: 'failure', status_code: '4153', cc_mask: '411111******1111' }))
    await world.deliver(payment('D-1', { status: 'pending' }))
    const long = `E${'-'.repeat(32)}`
    await world.deliver(payment(long, { amount: 7, cc_mask: '411111******1111' }))
    const refund = secondary('B-1', 'refund', { amount: 10, currency: 'USD', receipt_url: 'https://r.example.com' })
    await world.deliver(refund)
    await world.deliver(secondary('B-1', 'refund', { amount: 20, status: 'pending', currency: 'USD' }))
    await world.deliver({ method: 'purchase' })
    await world.open(await world.link({ order_id: 'F-1', customer_email: 'f@example.com' }))
    // Without a currency, and with what only a newer service has.
    await world.deliver(payment('G-1', { currency: undefined }))
    await world.deliver(secondary('G-1', 'constructor', { currency: undefined, status: 'disputed', amount: undefined }))
    await world.pay(await world.open(await world.link({ order_id: 'V-1', method: 'auth' })))
    await world.advance(25 * 3_600_000)
    await browser.signIn()
    await look('/ /orders /orders?state=waiting /orders?q=a&from=2026-03-01 /orders?from=2026-03-02&to=2026-03-01')
    await look(`/orders/A-1 /orders/B-1 /orders/C-1 /orders/D-1 /orders/${long} /orders/F-1 /orders/G-1 /attention`)
    await look(`${unused} ${held} /links?state=expired`)
    // A note says nothing of a payment, and a cancellation does once it is done, before its webhook.
    await press(held.replace('links', 'orders'), /notes$/, { text: 'Called.' })
    world.intercept = () => Response.json({}, { status: 503 })
    await press(held, /cancel$/)
    world.intercept = undefined
    world.emulator.faults.next({ kind: 'delay', ms: 86_400_000, on: 'webhook' })
    await press(held, /cancel$/)
    await look(`/orders/B-1/receipt/x /orders/B-1/receipt/${refund.operation_id}`)
    // Of the smallest amount, and of one that no version can say.
    for (const one of ['auth 1', 'capture 1', 'refund 1', 'capture 9e15', 'capture 9e15']) {
      const [kind = '', cents] = one.split(' ')
      await world.deliver(secondary('H-1', kind, { amount: Number(cents) / 100, currency: 'GBP' }))
      await look('/ /orders/H-1 /orders/H-1/void')
    }
    const acts = 'capture?amount=1 capture?amount=99 void erase resend cancel settle?executed=true refund?amount=99'
    for (const act of acts.split(' ')) await look(`/orders/A-1/${act}`)
    const first = (act: string, values = {}, order = '/orders/A-1') => press(order, new RegExp(`/${act}$`), values)
    await press(await first('capture', { amount: '1' }), /confirm/)
    await press(await first('void', {}, '/orders/V-1'), /confirm/)
    await look('/orders/V-1')
    await press(await first('cancel', {}, '/orders/F-1'), /confirm/)
    const euros = paid.replace('links', 'orders')
    for (const amount of ['9', '2'])
      await press(await first('refund', { amount: '2' }, euros), /confirm/, { amount, reason: 'A lid' })
    await look(euros)
    await press(await first('refund', { amount: '5' }), /confirm/, { reason: 'A chip', amount: '500' })
    await press(await first('refund', { amount: '5' }), /confirm/, { reason: 'A chip' })
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'refund-payment' })
    await press(await first('refund', { amount: '6' }), /confirm/)
    world.intercept = (_, init) => (init?.method === 'POST' ? undefined : new Response('', { status: 403 }))
    const token = 'a-token-of-32-characters-for-olena'
    const PEOPLE = JSON.stringify({ olena: { token, role: 'view' } })
    const viewer = new Browser(mount(world, {}, { PEOPLE }))
    const login = formTo(note(await viewer.open('/console/record')), /login/)
    for (const password of ['x', token]) note(await viewer.submit(login, { username: 'olena', password }))
    for (const by of [browser, viewer]) await look('/orders/A-1', by)
    for (let i = 0; i < 4; i++) await world.advance(11 * 60_000)
    await browser.signIn()
    await look('/orders/A-1 /attention')
    await press('/orders/A-1', /find$/)
    world.intercept = () => Response.json({}, { status: 503 })
    await press('/orders/A-1', /find$/)
    world.intercept = undefined
    await press(await first('settle', { executed: 'false' }), /confirm/)
    for (const text of ['Called.', ' ']) await press('/orders/B-1', /notes$/, { text })
    await press(await first('erase'), /confirm/)
    // The second time a colleague has done it.
    for (const list of Array(2).fill(await browser.open('/console/attention')) as Shown[]) await press(list, /done$/)

    await viewer.signIn(token, 'olena')
    await look(`/orders/A-1 /orders/A-1/void /orders/A-1/void/confirm /links ${paid} ${paid}/close /attention`, viewer)
    await look(`/new-link ${many} ${held} /?lang=uk`, viewer)
    const days = 'from=2026-03-01&to=2026-03-02'
    await look(`/record /day?${days} /day?from=2026-01-01&to=2026-12-31 /day?from=2026-03-01 /day?to=2026-02-02`)
    await look(`/day?from=2026-02-30&to=soon /day.csv?${days} /manifest.webmanifest /icon.svg`)
    await look(`/links?cursor=x /record?cursor=x ${many}?cursor=x`)
    await look(`/day.csv?${days}`, viewer)
    await expect(`${pages.join('\n')}\n`).toMatchFileSnapshot('console-pages.txt')
  },
)
