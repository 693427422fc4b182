import { beforeEach, describe, expect, it } from 'vitest'
import { verb as payment } from '../../../src/cli/commands/payment.ts'
import { openShop, type Shop } from '../../support/shop.ts'
import { type Around, against, runVerb } from '../support/verb.ts'

let shop: Shop
let around: Around

beforeEach(() => {
  shop = openShop()
  around = against(shop.emulator)
})

const WORDS = ['A-1', '--amount', '100.50', '--currency', 'UAH']
const customer = ['--email', 'olena@example.com', '--phone', '+380441234567', '--set', 'customer_patronym=Ivanivna']

/** The body of the only payment that was sent. */
function sent(): Record<string, unknown> {
  const bodies = shop.emulator.requests().filter(({ operation }) => operation === 'create-payment')
  expect(bodies).toHaveLength(1)
  return JSON.parse(bodies[0]?.body ?? '')
}

describe('edgetill payment', () => {
  it('prints the address of a checkout page, and nothing else, on standard output', async () => {
    const ran = await runVerb(payment, [...WORDS, ...customer], around)
    expect(ran).toMatchObject({ code: 0, err: 'order_id A-1\n', asked: [] })
    await shop.pay(ran.out.trim())
    expect(shop.events.map(({ kind }) => kind)).toContain('purchase')
    expect(sent()).toMatchObject({ mode: 'hosted', method: 'purchase', amount: 100.5, description: 'Order A-1' })
  })

  it('makes an order_id that can be captured later, and prints it before the call', async () => {
    const ran = await runVerb(payment, ['--amount', '5', '--currency', 'UAH', '--method', 'auth', '--json'], around)
    const { order_id, url, checkout_id } = JSON.parse(ran.out)
    expect(order_id).toMatch(/^cli-.{10,28}$/)
    expect(ran.err).toContain(`order_id ${order_id}\n`)
    expect(url).toContain(checkout_id)
    expect(sent()).toMatchObject({ method: 'auth', order_id })
  })

  it('warns about customer fields that are missing in one line, and about a port that is not called', async () => {
    const ran = await runVerb(payment, [...WORDS, '--server-url', 'https://shop.example.com:9000/hook'], around)
    expect(ran.err.split('\n')).toEqual([
      'order_id A-1',
      expect.stringMatching(/^Warning: Missing, .*: customer_patronym, customer_email, customer_phone\./),
      expect.stringMatching(/^Warning: server_url is on port 9000: the service calls 443 and 8443 only/),
      '',
    ])
    expect(ran.code).toBe(0)
  })

  it('sends any other field with --set: texts as texts, numbers where the field is one', async () => {
    const interval = ['init_recurring.interval_unit=month', 'init_recurring.interval_count=1']
    const settings = [...interval, 'customer_id=12345', 'mode=direct'].flatMap((one) => ['--set', one])
    expect((await runVerb(payment, [...WORDS, ...customer, ...settings], around)).code).toBe(0)
    // Whatever is set, the customer pays on the service's page.
    const init_recurring = { interval_unit: 'month', interval_count: 1 }
    expect(sent()).toMatchObject({ mode: 'hosted', customer_id: '12345', init_recurring })
  })

  it.each([
    [['A-1', '--amount', '100,50', '--currency', 'UAH'], 'Did you mean 100.50?'],
    [['A-1', '--amount', '1.005', '--currency', 'UAH'], 'at most 2 decimals'],
    [['A-1', '--currency', 'UAH'], "required option '--amount <AMOUNT>' not specified"],
    [[...WORDS, '--set', 'customer_lang'], 'It takes PATH=VALUE'],
    [[...WORDS, '--set', 'customer_lnag=UK'], 'customer_lnag: is not a parameter of createPayment'],
    [['A-1', '--amount', '5', '--currency', 'hryvnia'], 'currency: must be'],
    [[...WORDS, '--method', 'credit'], 'method'],
  ])('%j is wrong usage: nothing is sent', async (words, text) => {
    const ran = await runVerb(payment, words, around)
    expect(ran.err).toContain(text)
    expect([ran.code, ran.out, shop.emulator.requests().length]).toEqual([2, '', 0])
  })

  it('exits 1 for an order_id that was used already, and 3 when the outcome is unknown', async () => {
    await runVerb(payment, WORDS, around)
    const again = await runVerb(payment, WORDS, around)
    const rejected = expect.stringMatching(/createPayment was rejected with 4\d\d/)
    expect(again).toMatchObject({ code: 1, out: '', err: rejected })
    shop.emulator.faults.next({ kind: 'reset', on: 'create-payment' })
    const ran = await runVerb(payment, ['A-2', ...WORDS.slice(1), '--json'], around)
    expect(ran.err).toContain('Find out with: edgetill order A-2')
    expect(ran.err).toContain('run the command again with this ID: it cannot be paid twice')
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([3, { outcome: 'unknown', order_id: 'A-2' }])
  })

  it('finds out with --resolve', async () => {
    shop.emulator.faults.next({ kind: 'reset', on: 'create-payment' })
    const executed = await runVerb(payment, [...WORDS, '--resolve'], around)
    expect(executed.err).toContain('Found out: it was executed.\nIts status is init; the address of its page is lost.')
    expect(executed.err).toContain('edgetill cancel A-1')
    shop.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'create-payment' })
    const other = ['A-2', ...WORDS.slice(1), '--resolve', '--settle-after', '100ms']
    const absent = await runVerb(payment, other, around)
    expect(absent.err).toContain('Found out: it was not executed. You can run the same command again.')
    expect([executed.code, absent.code]).toEqual([1, 1])
  })

  it('prints the record of a hosted authorization that is not a redirect, without a card token', async () => {
    shop = openShop({}, { hostedAuthResponse: 'record' })
    const words = [...WORDS, '--method', 'auth', '--json']
    const ran = await runVerb(payment, words, against(shop.emulator))
    expect(JSON.parse(ran.out)).toMatchObject({ order_id: 'A-1', method: 'auth' })
    expect(ran.out).not.toContain('cc_token"')
    expect(ran.code).toBe(0)
  })
})
