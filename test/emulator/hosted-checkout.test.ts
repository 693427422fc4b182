import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { verifySignature } from '../../src/webhooks/index.ts'
import { cardForm, createBench, openCheckout, plain, submit } from './call.ts'

describe('a hosted purchase', () => {
  it('goes through the form and 3-D Secure to the shop, and sends pending, then success', async () => {
    const { emulator, received } = createBench()
    const form = await openCheckout(emulator)
    expect(form).toMatch(/^http:\/\/emulator\.localhost\/api\/v1\/checkout\/[\w-]+\/form$/)
    expect(emulator.orders.get('A-1')?.status).toBe('init')

    const page = await emulator.fetch(form)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('Pay 100.50 UAH')

    const toBank = await submit(emulator, form, cardForm('three_d_secure'))
    expect(toBank.status).toBe(303)
    const bank = toBank.headers.get('location') ?? ''
    expect(bank).toBe(form.replace(/form$/, '3ds'))
    await emulator.deliveries.idle()
    expect(received.map(({ event }) => [event.status, event.status_code])).toEqual([['pending', '2122']])

    expect(await (await emulator.fetch(bank)).text()).toContain('name="outcome" value="pass"')
    const toShop = await submit(emulator, bank, new URLSearchParams({ outcome: 'pass' }))
    expect([toShop.status, toShop.headers.get('location')]).toEqual([303, 'https://shop.example/return/A-1'])
    await emulator.deliveries.idle()
    expect(received.map(({ event }) => [event.status, event.status_code])).toEqual([
      ['pending', '2122'],
      ['success', '1000'],
    ])
    for (const { url, contentType, form: sent } of received) {
      expect(url).toBe('https://shop.example/hook')
      expect(contentType).toBe('application/x-www-form-urlencoded')
      expect(verifySignature(sent.get('data') ?? '', sent.get('signature') ?? '', emulator.credentials.apiSecret)).toBe(
        true,
      )
    }
  })

  it('logs each delivery and sends the older one again after the newer one', async () => {
    const { emulator, received, answers } = createBench()
    const form = await openCheckout(emulator)
    answers.push(200, 200, 503)
    await submit(emulator, form, cardForm('three_d_secure'))
    await submit(emulator, form.replace(/form$/, '3ds'), new URLSearchParams({ outcome: 'pass' }))
    await emulator.deliveries.idle()
    const [pending] = emulator.deliveries
    expect(emulator.deliveries.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([[200], [200]])
    const again = await emulator.deliveries.resend(pending?.id ?? '')
    expect(again.status).toBe(503)
    expect(received[2]?.text).toBe(pending?.body)
    expect(pending?.attempts).toHaveLength(2)
  })

  it('delivers to webhookUrl without a server_url, and only logs without both', async () => {
    const { emulator, received } = createBench()
    await submit(emulator, await openCheckout(emulator, { server_url: undefined }), cardForm('success'))
    await emulator.deliveries.idle()
    expect(received.map(({ url }) => url)).toEqual(['https://shop.example/default-hook'])

    const silent = createBench({}, ({ webhookUrl: _, ...options } = {}) => createEmulator(options))
    await submit(silent.emulator, await openCheckout(silent.emulator, { server_url: undefined }), cardForm('success'))
    await silent.emulator.deliveries.idle()
    expect(silent.received).toEqual([])
    expect(silent.emulator.deliveries.map(({ url, attempts }) => [url, attempts])).toEqual([[null, []]])
  })

  it('shows what is wrong beside the field, escaped, and charges nothing', async () => {
    const { emulator } = createBench()
    const form = await openCheckout(emulator, { description: '<script>alert(1)</script>' })
    const refused = await submit(
      emulator,
      form,
      cardForm('success', { cc_number: '4111111111111112', exp_year: '20', card_cvv: '12x' }),
    )
    const text = await refused.text()
    expect(refused.status).toBe(422)
    expect(text).toContain('id="cc_number-error"')
    expect(text).toContain('aria-describedby="cc_number-error"')
    expect(text).toContain('This card has expired.')
    expect(text).toContain('id="card_cvv-error"')
    expect(text).not.toContain('<script')
    expect(text).not.toContain('12x')
    expect(emulator.orders.get('A-1')?.status).toBe('init')
    expect(emulator.deliveries).toHaveLength(0)
  })

  it('explains a declined card and cannot be paid twice', async () => {
    const { emulator, received } = createBench()
    const form = await openCheckout(emulator)
    const declined = await submit(emulator, form, cardForm('insufficient_funds'))
    expect(await declined.text()).toContain('Insufficient funds')
    await submit(emulator, form, cardForm('success'))
    await emulator.deliveries.idle()
    expect(received.map(({ event }) => [event.status, event.status_code])).toEqual([['failure', '4009']])
  })

  it('repeats byte for byte with the same seed', async () => {
    const run = async (seed: number): Promise<string> => {
      const { emulator, received } = createBench({ seed })
      await submit(emulator, await openCheckout(emulator), cardForm('success'))
      await emulator.deliveries.idle()
      return JSON.stringify([received.map(({ text }) => text), emulator.orders.list(), plain(emulator)])
    }
    expect(await run(3)).toBe(await run(3))
    expect(await run(3)).not.toBe(await run(4))
  })
})
