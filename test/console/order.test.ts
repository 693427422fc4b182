// An order's page, and the two steps of what moves its money.
import { describe, expect, it } from 'vitest'
import { wordsIn } from '../../src/shop/console/words/words.ts'
import { payment, secondary } from '../worker/support/events.ts'
import { failing, World } from '../worker/support/world.ts'
import { Browser, type Form, formsOf, formTo, mount, orderOf, payOrder, type Shown } from './support/browser.ts'

const en = wordsIn('en')

const REFUND = /\/refund$/
const CONFIRM = /\/refund\/confirm$/

const plain = ({ text }: Shown): string => text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')

/** A paid order of 100.50, and someone who is signed in. */
async function paid() {
  const world = new World()
  await payOrder(world)
  await world.advance(2_000)
  const send = mount(world)
  const browser = await new Browser(send).signIn()
  return { world, send, browser, order: () => orderOf(world) }
}

/** The first step of a refund. */
async function ask(browser: Browser, amount: string): Promise<Shown> {
  return browser.submit(formTo(await browser.open('/console/orders/A-1'), REFUND), { amount })
}

describe('an order', () => {
  it('is done with one flag at a time, and with 32 characters in its number its money can be moved here', async () => {
    const { browser, world } = await paid()
    const order_id = `${'x'.repeat(30)}~2`
    await world.deliver(payment(order_id, { amount: 7 }))
    expect((await browser.open(`/console/orders/${order_id}`)).text).toContain('/refund"')
    await world.deliver(secondary(order_id, 'refund', { amount: 8 }))
    await world.advance(20_000)
    const flags = async () => formsOf(await browser.open('/console/attention')).filter(({ fields }) => fields.flag)
    const [first] = (await flags()) as [Form]
    await browser.submit(first)
    expect((await flags()).map(({ fields }) => fields.flag)).toEqual(['over_refund'])
    world.object.before = failing()
    expect((await browser.submit(first)).status).toBe(503)
  })

  it('is asked about where its webhook was lost', async () => {
    const world = new World({ emulator: { fetch: async () => new Response('', { status: 503 }), retryDelaysMs: [] } })
    await payOrder(world)
    const browser = await new Browser(mount(world)).signIn()
    const step = await browser.submit(formTo(await browser.open('/console/orders/A-1'), /\/resend$/))
    expect((await orderOf(world)).status).toBe(null)
    const asked = await browser.submit(formTo(step, /\/resend\/confirm$/))
    expect((await orderOf(world)).status).toBe('success')
    expect(plain(asked)).toContain(en.messages.resend)
  })

  it('says that a reason was lost, and that an erasure goes on', async () => {
    const { browser, order, world } = await paid()
    const step = await ask(browser, '40.25')
    world.object.before = (action, key) => {
      if (
        action === 'put' &&
        key.startsWith('edgetill_act/') &&
        world.emulator.orders.get('A-1')?.operations.length === 1
      )
        throw new Error('the object failed')
    }
    const receipt = await browser.submit(formTo(step, CONFIRM), { reason: 'a broken cup' })
    expect([receipt.url, plain(receipt)]).toEqual([
      expect.stringContaining('/orders/A-1/receipt/'),
      expect.stringContaining(en.messages.reasonLost as string),
    ])
    world.object.before = undefined
    expect((await order()).totals.refunded_minor).toBe(4025)
    const erase = await browser.submit(formTo(await browser.open('/console/orders/A-1'), /\/erase$/))
    expect(plain(await browser.submit(formTo(erase, /\/erase\/confirm$/)))).toContain(en.messages.erasing)
  })

  it('keeps the text of a note that could not be added', async () => {
    const { browser, world } = await paid()
    const form = formTo(await browser.open('/console/orders/A-1'), /\/notes$/)
    world.object.before = (action, key) => {
      if (action === 'put' && key.startsWith('edgetill_act/')) throw new Error('the object failed')
    }
    const failed = await browser.submit(form, { text: 'Called <Olena>' })
    expect([failed.status, plain(failed)]).toEqual([503, expect.stringContaining(en.failed.body)])
    expect(failed.text).toContain(`<title>${en.error(en.failed.title)}`)
    expect(failed.text).toContain('>Called &lt;Olena&gt;</textarea>')
    world.object.before = undefined
    const added = await browser.submit(formTo(failed, /\/notes$/), { text: 'Called <Olena>' })
    expect([added.url, plain(added)]).toEqual(['/console/orders/A-1', expect.stringContaining('Called &lt;Olena&gt;')])
    expect(added.text).toContain(en.messages.noted)
    expect(added.text).toContain('[\n  {\n    &quot;')
  })

  it('says that the shop’s program failed again, when it is run again and does', async () => {
    let isWrong = true
    const world = new World({ onEvent: () => (isWrong ? Promise.reject(new Error('a slip')) : Promise.resolve()) })
    await payOrder(world)
    for (let i = 0; i < 40; i++) await world.advance(12 * 3_600_000)
    const browser = await new Browser(mount(world)).signIn()
    const replay = async (page: string) => {
      const step = await browser.submit(formTo(await browser.open(`/console/${page}`), /\/replay$/))
      return plain(await browser.submit(formTo(step, /\/replay\/confirm$/)))
    }
    const [failed, { kinds, says }] = [await replay('orders/A-1'), en.attention]
    expect(failed).toContain(`${kinds.on_event_given_up} ${says.on_event_given_up}`)
    expect(failed).not.toContain(en.problems.outcome_unknown.title)
    isWrong = false
    expect(await replay('attention')).toContain(en.messages.replay)
  })

  it('is refunded once, though its form is sent twice at once, and by another person too', async () => {
    const { browser, send, order, world } = await paid()
    const other = await new Browser(send).signIn()
    const [step, another] = [formTo(await ask(browser, '40'), CONFIRM), formTo(await ask(other, '40'), CONFIRM)]
    const shown = await Promise.all([browser.submit(step), browser.submit(step), other.submit(another)])
    expect(shown.map(({ text }) => text.includes('Refund: done'))).toEqual(shown.map(({ status }) => status === 200))
    // Whoever comes first.
    const [first, second, third] = shown.map(({ status }) => status)
    expect([first === second, first === 200, third === 200].toString()).toMatch(/^true,(true,false|false,true)$/)
    // The order was changed, or is being changed.
    expect([409, 412]).toContain(first === 200 ? third : first)
    await world.advance(5_000)
    expect((await order()).totals.refunded_minor).toBe(4000)
    const { order_changed, earlier } = en.problems
    const { text } = await browser.open('/console/orders/A-1')
    expect([order_changed, earlier].some(({ title }) => text.includes(`· ${title}`))).toBe(true)
  })
})
