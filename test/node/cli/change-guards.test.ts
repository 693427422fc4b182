// What the commands that move money know of the order before they send anything.
import { expect, it } from 'vitest'
import { cancel, refund, voidVerb } from '../../../src/cli/commands/change-order.ts'
import { type Repeated, repetition, versionOf } from '../../../src/cli/service/order-guards.ts'
import { amountOf } from '../../../src/cli/terminal/option-values.ts'
import { readEvent } from '../../../src/webhooks/index.ts'
import { HOSTED } from '../../support/inputs.ts'
import { openShop } from '../../support/shop.ts'
import { secondary } from '../../worker/support/events.ts'
import { against, runVerb } from '../support/verb.ts'

it.each<[verb: string, status: string, amount: number | undefined, isRepeated: boolean]>([
  ['refund', 'success', 5, true],
  ['refund', 'pending', 5, true],
  ['refund', 'init', 5, true],
  ['refund', 'disputed', 5, true],
  ['refund', 'failure', 5, false],
  ['refund', 'success', 6, false],
  ['refund', 'pending', undefined, true],
  ['capture', 'success', 5, false],
])('a %s beside a refund of 5 that is %s, for %s: warned of a repetition is %s', (verb, status, amount, isRepeated) => {
  const before = [readEvent(secondary('A-1', 'refund', { amount: 5, status }))]
  const warning = repetition({ verb, order_id: 'A-1', amount, currency: undefined, before })
  if (isRepeated) expect(warning).toContain(`already has a refund of 5.00 UAH (${status}`)
  else expect(warning).toBeUndefined()
})

it('a repetition that nobody confirms is previewed, and not sent unless a flag asks for it', () => {
  const before = [readEvent(secondary('A-1', 'refund', { amount: 5 }))]
  const given = (flags: Repeated) =>
    repetition({ verb: 'refund', order_id: 'A-1', amount: 5, currency: undefined, before }, flags)
  expect(() => given({ yes: true })).toThrow('Nothing was sent: order A-1 already has a refund of 5.00 UAH')
  const ifVersion = versionOf('A-1', before)
  for (const flags of [{}, { yes: true, dryRun: true }, { yes: true, again: true }, { yes: true, ifVersion }])
    expect(given(flags)).toContain('This is another one.')
})

it('an order has another version after each operation, and after each change of one, but not after a copy', () => {
  const [first, second] = ['11111111', '22222222'].map((start) => `${start}-0000-4000-8000-000000000001`)
  const of = (...events: [id: string | undefined, status: string][]) =>
    versionOf(
      'A-1',
      events.map(([operation_id, status]) => readEvent(secondary('A-1', 'refund', { operation_id, status }))),
    )
  const versions = [of(), of([first, 'pending']), of([first, 'success']), of([first, 'success'], [second, 'success'])]
  expect(new Set([...versions, versionOf('A-2', [])]).size).toBe(5)
  expect(of([first, 'success'], [first, 'success'])).toBe(versions[2])
})

it.each([
  ['y', 1],
  ['Yes', 1],
  ['yep', 0],
  ['', 0],
])('after %j a refund is sent %i times', async (answer, times) => {
  const shop = openShop()
  await shop.pay((await shop.client.createPayment({ ...HOSTED, order_id: 'A-1' })).url)
  await runVerb(refund, ['A-1', '--amount', '5'], { ...against(shop.emulator), answer })
  expect(shop.emulator.requests().filter((one) => one.operation === 'refund-payment')).toHaveLength(times)
})

it.each([
  ['void', voidVerb, 'void-payment'],
  ['cancel', cancel, 'cancel-payment'],
] as const)(
  'a %s is always whole: with another amount than the order’s nothing is sent',
  async (name, verb, operation) => {
    const { emulator, client } = openShop()
    await client.createPayment({ ...HOSTED, order_id: 'A-1' })
    const ran = await runVerb(verb, ['A-1', '--amount', '5', '--yes'], against(emulator))
    expect(ran.err).toContain(`${name} is always whole: leave --amount out. Nothing was sent.`)
    expect(emulator.requests().filter((one) => one.operation === operation)).toEqual([])
  },
)

it('an amount has at most two decimals, and is more than nothing', () => {
  expect(['100', '100.5', '0.01'].map(amountOf)).toEqual([100, 100.5, 0.01])
  for (const text of ['', '0', '0.00', '-1', '1e2', '.5', '1.', '100.555', '1 000', '100,5'])
    expect(() => amountOf(text), text).toThrow('It takes a positive amount with at most 2 decimals')
  expect(() => amountOf('100,5')).toThrow('Did you mean 100.5?')
})

it('says that it cannot notice a repetition where the service does not show the order', () => {
  const intent = { verb: 'refund', order_id: 'A-1', amount: 5, currency: 'UAH', before: undefined }
  expect(repetition(intent)).toMatch(/^Warning: .* a repetition cannot be noticed\.$/)
  expect(repetition(intent, { yes: true, again: true })).toMatch(/^Warning: /)
  expect(() => repetition(intent, { yes: true })).toThrow('Nothing was sent: the service does not show')
  expect(() => repetition(intent, { ifVersion: 'V' })).toThrow('Nothing was sent: the service does not show')
})

it('does not take an earlier refund for the lost one where the service did not show the order before', async () => {
  const shop = openShop({ maxRetries: 0 })
  const { emulator } = shop
  await shop.pay((await shop.client.createPayment({ ...HOSTED, order_id: 'A-1' })).url)
  // Its time is of a clock that is ahead: it could be the lost one.
  await emulator.clock.advance({ hours: 1 })
  await shop.client.refundPayment({ order_id: 'A-1', order_currency: 'UAH', refund_amount: 5 })
  const around = against(emulator)
  let isShown = false
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (!isShown && init?.method === 'GET') return Response.json({ message: 'Not found' }, { status: 404 })
    isShown = true
    return emulator.fetch(input, init)
  }
  emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'refund-payment' })
  const words = ['A-1', '--amount', '5', '--currency', 'UAH', '--yes', '--again', '--resolve', '--settle-after', '1s']
  const ran = await runVerb(refund, words, { ...around, fetch })
  expect(ran.out).not.toContain('success')
  expect(ran.err).toContain('Do NOT run this command again before you know')
})
