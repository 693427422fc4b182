import { describe, expect, it } from 'vitest'
import { cardForm, createBench, type Json, openCheckout, submit } from './call.ts'
import { read } from './control.ts'

/** Behaviour of hosted payments that the document does not fix, and that the table therefore does not have. */

const outcome = (value: string) => new URLSearchParams({ outcome: value })

describe("the customer's way", () => {
  it('3-D Secure can be rejected, and can be passed with a card that the issuer then rejects', async () => {
    const { emulator } = createBench()
    const journey = async (order_id: string, card: 'three_d_secure' | 'three_d_secure_declined', answer: string) => {
      const form = await openCheckout(emulator, { order_id })
      const bank = (await submit(emulator, form, cardForm(card))).headers.get('location') ?? ''
      // Coming back to the form leads to the bank again, and an answer that is none changes nothing.
      expect((await emulator.fetch(form, { redirect: 'manual' })).headers.get('location')).toBe(bank)
      expect((await submit(emulator, bank, outcome('maybe'))).status).toBe(200)
      const end = await submit(emulator, bank, outcome(answer))
      expect(end.status).toBe(200)
      const { status, status_code, user_action_required, user_action_url } =
        emulator.orders.get(order_id)?.payments[0] ?? {}
      expect([user_action_required, user_action_url]).toEqual([false, null])
      // The other button, pressed late, changes nothing either.
      await submit(emulator, bank, outcome('pass'))
      expect(emulator.orders.get(order_id)?.payments[0]?.status).toBe(status)
      return [status, status_code, (await end.text()).includes('Declined')]
    }
    expect(await journey('refused', 'three_d_secure', 'fail')).toEqual(['failure', '4157', true])
    expect(await journey('rejected', 'three_d_secure_declined', 'pass')).toEqual(['failure', '4158', true])
  })

  it('has pages only as long as they are needed, and for their verbs', async () => {
    const { emulator } = createBench()
    const form = await openCheckout(emulator)
    expect((await emulator.fetch(form.replace('checkout-', 'checkout-x'))).status).toBe(404)
    expect((await emulator.fetch(form.replace('/form', '/other'))).status).toBe(404)
    const put = await emulator.fetch(form, { method: 'PUT', body: '' })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST'])
    const direct3ds = form.replace('/form', '/3ds')
    expect(await read(emulator, direct3ds)).toContain('Not paid')
    const paid = await submit(emulator, form, cardForm('success'))
    expect([paid.status, paid.headers.get('location')]).toEqual([303, 'https://shop.example/return/A-1'])
    const end = await read(emulator, form)
    expect(end).toContain('href="https://shop.example/return/A-1"')
    expect(end).not.toContain('<form')
  })

  it('shows what is wrong beside the field, escaped, and charges nothing', async () => {
    const { emulator } = createBench()
    const form = await openCheckout(emulator, { description: '<script>alert(1)</script>' })
    const wrong = cardForm('success', { cc_number: '4111111111111112', exp_year: '20', card_cvv: '12x' })
    const refused = await submit(emulator, form, wrong)
    const text = await refused.text()
    expect(refused.status).toBe(422)
    const ids = ['id="cc_number-error"', 'aria-describedby="cc_number-error"', 'id="card_cvv-error"']
    for (const part of [...ids, 'This card has expired.']) expect(text).toContain(part)
    for (const part of ['<script', '12x']) expect(text).not.toContain(part)
    expect(emulator.orders.get('A-1')?.status).toBe('init')
    expect(emulator.deliveries).toHaveLength(0)
  })
})

describe("the customer's pages", () => {
  it('speak Ukrainian when customer_lang asks for it', async () => {
    const { emulator } = createBench()
    const form = await openCheckout(emulator, { customer_lang: 'UK', result_url: undefined })
    expect(await read(emulator, form)).toMatch(/<html lang="uk">.*Сплатити 100\.50 UAH/s)
    const wrong = await submit(emulator, form, cardForm('success', { exp_year: '20' }))
    expect(await wrong.text()).toMatch(/<title>Помилка: .*Термін дії картки минув/s)
    const english = await openCheckout(emulator, { customer_lang: 'PL', order_id: 'A-2' })
    expect(await read(emulator, english)).toMatch(/<html lang="en">.*Pay 100\.50 UAH/s)
  })

  it('fill in a test card without script', async () => {
    const { emulator } = createBench()
    const form = await openCheckout(emulator)
    const page = await read(emulator, `${form}?card=insufficient_funds`)
    expect(page).toContain('value="4000 0000 0000 9995"')
    expect(page).toContain('name="exp_year" value="29"')
    expect(await read(emulator, `${form}?card=none`)).toContain('name="cc_number" value=""')
  })

  it('the outcome page leads on, says what was paid, and calls an authorization by its name', async () => {
    const { emulator } = createBench()
    const end = async (order_id: string, more: Json, card: Parameters<typeof cardForm>[0]) => {
      const form = await openCheckout(emulator, { order_id, result_url: undefined, ...more })
      return (await submit(emulator, form, cardForm(card))).text()
    }
    const paid = await end('A-1', {}, 'payer_changes_amount')
    expect(paid).toContain('90.45 UAH of 100.50 UAH')
    expect(paid).toContain('href="/_emulator/orders?order_id=A-1"')
    for (const text of ['Reason', 'Back to the shop']) expect(paid).not.toContain(text)
    expect(await end('A-2', { method: 'auth' }, 'success')).toContain('Amount reserved')
    const declined = await end('A-3', {}, 'insufficient_funds')
    for (const text of ['start a new payment in the shop', 'Insufficient funds']) expect(declined).toContain(text)
    expect(await end('A-4', {}, 'timeout')).toContain('still being processed')
    const [receipt] = emulator.orders.get('A-1')?.payments ?? []
    expect(await read(emulator, receipt?.receipt_url ?? '')).toContain('90.45 UAH')
  })
})
