import { describe, expect, it } from 'vitest'
import type { Emulator } from '../../src/emulator/index.ts'
import { createBench, direct, hosted, type Json, openCheckout, post, submit } from './call.ts'
import { DAILY, paid } from './conformance/samples.ts'
import { CONTROL, read } from './control.ts'

const orderPage = (emulator: Emulator, order_id: string) =>
  read(emulator, `/orders?order_id=${encodeURIComponent(order_id)}`)

/** The commands that a page offers for an order, in their order. */
function offered(page: string): string[] {
  return [
    ...page.replace(/<section class="frame".*?<\/section>/s, '').matchAll(/action="\/_emulator\/api\/(\w+)"/g),
  ].flatMap(([, name = '']) => (name === 'resend' ? [] : [name]))
}

/** The fields of a form with the values that they have on the page, the first choice of each select included. */
function fieldsOf(form: string): [string, string][] {
  const inputs = form.matchAll(
    /<(?:input[^>]* name="(\w+)"[^>]* value="([^"]*)"|select[^>]* name="(\w+)"><option value="([^"]*)")/g,
  )
  return [...inputs].map(([, input, text, select, choice]) => [
    input ?? select ?? '',
    (text ?? choice ?? '').replaceAll('&amp;', '&'),
  ])
}

describe.each([
  ['an unpaid payment', { mode: 'hosted' }, ['cancel', 'expire']],
  ['a purchase', {}, ['refund', 'expire']],
  ['a declined purchase', { cc_number: '4000000000009995' }, ['expire']],
  ['a payment that waits for 3-D Secure', { cc_number: '4000000000003220' }, ['conclude', 'expire', 'expire']],
  ['an authorization', { method: 'auth' }, ['capture', 'auth_increment', 'void', 'expire', 'expire']],
  ['a subscription', { init_recurring: DAILY }, ['refund', 'charge', 'cancel_recurring', 'expire']],
] as [string, Json, string[]][])('the order page of %s', (_, more, commands) => {
  it('offers what is possible, nothing else, and each is carried out', async () => {
    const start = async () => {
      const { emulator } = createBench()
      await post(emulator, '/api/v1/payment', more.mode === 'hosted' ? hosted(emulator) : direct(emulator, more))
      await emulator.deliveries.idle()
      const page = await orderPage(emulator, 'A-1')
      return { emulator, page, forms: [...page.matchAll(/<form method="post" action="([^"]+)">(.*?)<\/form>/gs)] }
    }
    const { page, forms } = await start()
    expect(offered(page)).toEqual(commands)
    expect(forms.length).toBeGreaterThanOrEqual(commands.length)
    for (const index of forms.keys()) {
      const { emulator, forms: fresh } = await start()
      const [, action = '', inputs = ''] = fresh[index] ?? []
      const done = await submit(emulator, `http://emulator.localhost${action}`, new URLSearchParams(fieldsOf(inputs)))
      const back = done.headers.get('location')
      expect([action, done.status, back]).toEqual([action, 303, '/_emulator/orders?order_id=A-1'])
    }
  })
})

it('the order page says what the order is worth, and offers the amounts that are left', async () => {
  const { emulator } = await paid({ method: 'auth' })
  emulator.control.capturePayment('A-1', 40)
  emulator.control.refundPayment('A-1', 10)
  const page = await orderPage(emulator, 'A-1')
  expect(offered(page)).toEqual(['capture', 'auth_increment', 'refund', 'expire', 'expire'])
  expect(page).toMatch(/id="capture-amount"[^>]* max="75.57" value="60.50"/)
  expect(page).toMatch(/id="refund-amount"[^>]* max="30.00" value="30.00"/)
  const lines = [...page.matchAll(/<dt>([^<]+)<\/dt><dd>([\d.]+ UAH)/g)].map(([, name, amount]) => `${name} ${amount}`)
  expect(lines.slice(0, 6)).toEqual([
    ...['Authorized 100.50 UAH', 'Captured 40.00 UAH', 'Voided 0.00 UAH', 'Refunded 10.00 UAH'],
    ...['Left to capture 60.50 UAH', 'Left to refund 30.00 UAH'],
  ])
})

it('the refund that the order page offers is what is left of the charge that it refunds', async () => {
  const { emulator } = await paid({ init_recurring: DAILY })
  await emulator.clock.advance({ days: 1 })
  for (const [refunded, left] of [
    [1, '99.50'],
    [99.5, '100.50'],
    [100.5, undefined],
  ] as const) {
    emulator.control.refundPayment('A-1', refunded)
    expect(/id="refund-amount"[^>]* max="([\d.]+)"/.exec(await orderPage(emulator, 'A-1'))?.[1]).toBe(left)
  }
})

it("an order's story is one sequence of requests, states, faults and webhooks, on a clock that stands still too", async () => {
  const { emulator, answers } = createBench()
  answers.push(500)
  emulator.faults.next({ kind: 'corrupt_signature' })
  await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'other' }))
  await post(emulator, '/api/v1/payment', direct(emulator))
  await emulator.deliveries.idle()
  await post(emulator, '/api/v1/payment', direct(emulator))
  const overview = await read(emulator, '')
  for (const text of ['One webhook was', 'the receiver responded 500', '1 failed']) expect(overview).toContain(text)
  const page = await orderPage(emulator, 'A-1')
  const story = /<ol class="story">(.*?)<\/ol>/s.exec(page)?.[1] ?? ''
  const kinds = [...story.matchAll(/class="kind">(\w+)<\/span>\s*(?:<a[^>]*>)?([^<]*)/g)].map(
    ([, kind, text]) => `${kind}: ${text?.trim()}`,
  )
  expect(kinds).toEqual([
    'Request: POST /api/v1/payment → 200',
    'State: direct purchase created',
    'State: purchase success (1000, Transaction is successful)',
    'Webhook: purchase success to https://shop.example/hook → 200',
    'Request: POST /api/v1/payment → 400 order_id A-1 was used before',
  ])
  expect(await orderPage(emulator, 'other')).toMatch(/class="kind">Fault<\/span>\s*corrupt_signature/)
})

describe('the overview', () => {
  it('finds an order, and pages through many', async () => {
    const { emulator } = createBench()
    for (let i = 0; i < 120; i++) {
      emulator.control.createPayment({ method: 'credit', order_id: `N-${i}`, amount: 1, currency: 'UAH' })
    }
    const names = (page: string) => [...page.matchAll(/order_id=(N-\d+)"/g)].map(([, name]) => name)
    const first = await read(emulator, '')
    expect(names(first).slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, i) => `N-${119 - i}`))
    expect(first).toContain('1–50 of 120')
    const last = await read(emulator, '?from=100')
    expect(last).toContain('101–120 of 120')
    expect(last).toContain('href="/_emulator?from=50"')
    expect(await read(emulator, '?q=n-11')).toContain('N-117')
    expect(await read(emulator, '?q=none')).toContain('No order has that.')
  })
})

it('the fault page explains every kind and sets each of them, and clears what is set', async () => {
  const { emulator } = createBench()
  const page = await read(emulator, '/faults')
  const forms = [...page.matchAll(/<form method="post" action="\/_emulator\/api\/faults">(.*?)<\/form>/gs)]
  expect(forms).toHaveLength(19)
  for (const [, inputs = ''] of forms) {
    const fields = fieldsOf(inputs)
    const done = await submit(emulator, `${CONTROL}/api/faults`, new URLSearchParams(fields))
    expect([fields[0]?.[1], done.status]).toEqual([fields[0]?.[1], 303])
  }
  expect(emulator.faults.list().next).toHaveLength(19)
  expect(await read(emulator, '/faults')).toContain('Clear all faults')
  await submit(emulator, `${CONTROL}/api/faults`, new URLSearchParams({ clear: 'true' }))
  expect(emulator.faults.list().next).toEqual([])
})

describe('the request page', () => {
  it('has a curl command that a shell can run: credentials from the environment, test cards filled in', async () => {
    const { emulator } = await paid({ description: "it's" })
    const page = await read(emulator, '/requests/emulator-request-1')
    expect(page).toContain('&quot;x-api-auth: SVC $EDGETILL_API_KEY:$EDGETILL_API_SECRET&quot;')
    expect(page).toContain('&quot;cc_number&quot;:&quot;4111111111111111&quot;')
    expect(page).toContain('it&#39;\\&#39;&#39;s')
    expect(page).not.toContain('emulator-api-secret')
    expect(await read(emulator, '/requests')).toContain('/_emulator/requests/emulator-request-1')
    expect((await emulator.fetch(`${CONTROL}/requests/none`)).status).toBe(404)
  })

  it('escapes what was sent', async () => {
    const { emulator } = createBench()
    await emulator.fetch('http://emulator.localhost/<b>?q=<script>', {
      method: 'POST',
      body: '<script>alert(1)</script>',
    })
    await post(emulator, '/api/v1/payment', direct(emulator, { order_id: '<script>x' }))
    await emulator.deliveries.idle()
    const id = emulator.deliveries[0]?.id
    const requests = ['/requests', '/requests/emulator-request-1', '/requests/emulator-request-2']
    const paths = ['', ...requests, '/webhooks', `/webhooks/${id}`, '/orders?order_id=%3Cscript%3Ex']
    expect(await read(emulator, '')).toContain('&lt;script&gt;x')
    expect((await emulator.fetch(`${CONTROL}/orders?order_id=none`)).status).toBe(404)
    for (const path of paths) expect(await read(emulator, path)).not.toMatch(/<script(?! src=)|<b>/)
  })
})

it('every page allows no inline script or style, the customer none at all; style, script and icon are served', async () => {
  const { emulator } = createBench()
  const form = await openCheckout(emulator)
  await emulator.deliveries.idle()
  for (const url of [CONTROL, `${CONTROL}/faults`, `${CONTROL}/cards`, `${CONTROL}/webhooks`, form]) {
    const response = await emulator.fetch(url)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    if (url === form) expect(policy).toContain("frame-ancestors 'none'")
    const page = (await response.text()).replace('<script src="/_emulator/live.js" defer></script>', 'SCRIPT')
    expect(page).not.toMatch(/<script|<style| style="| on\w+="/)
    const scripts = [page.includes('SCRIPT'), policy.includes("script-src 'self'")]
    expect([url, ...scripts]).toEqual([url, url !== form, url !== form])
  }
  // An act that cannot be undone is unfolded first.
  expect(await orderPage(emulator, 'A-1')).toMatch(/<details class="confirm"><summary>Cancel ….*api\/cancel"/)
  expect(await read(emulator, '/connect')).toMatch(/<details class="confirm"><summary>Forget everything ….*api\/reset"/)
  for (const [path, type] of [
    ['/style.css', 'text/css'],
    ['/icon.svg', 'image/svg+xml'],
    ['/live.js', 'text/javascript'],
  ] as const) {
    const response = await emulator.fetch(CONTROL + path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)])
    if (path === '/live.js') expect((await response.text()).length).toBeLessThanOrEqual(3000)
  }
})

it('a mistyped address is a page in a browser, and JSON for a client', async () => {
  const { emulator } = createBench()
  const { origin } = new URL(emulator.credentials.baseUrl)
  const ask = (path: string, accept: string) => emulator.fetch(`${origin}${path}`, { headers: { accept } })
  const page = await ask('/_emulator/orderz', 'text/html')
  expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('No such page')])
  for (const [path, accept] of [
    ['/_emulator/orderz', 'application/json'],
    ['/api/v1/paymemt', 'text/html'],
  ] as const) {
    const problem = await ask(path, accept)
    expect([problem.status, await problem.json()]).toMatchObject([404, { message: 'No such path' }])
  }
})
