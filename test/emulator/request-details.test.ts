import { describe, expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { createBench, direct, hosted, type Json, plain, post } from './call.ts'

/** Details of requests that were once read too generously. */

async function violations(more: Json, form = direct): Promise<string[]> {
  const { emulator } = createBench()
  const response = await post(emulator, '/api/v1/payment', form(emulator, more))
  if (response.status !== 400) return []
  const { args } = (await response.json()) as { args: { field_name: string }[] }
  return args.map(({ field_name }) => field_name)
}

describe('is rejected', () => {
  it.each([
    [{ currency: 'ZZZ' }, 'currency'],
    [{ customer_country: 'ZZ' }, 'customer_country'],
    [{ exp_year: 123 }, 'exp_year'],
    [{ exp_year: 12345 }, 'exp_year'],
    [{ amount: 1e20 }, 'amount'],
    [{ amount: 10_000_000_000_001 }, 'amount'],
  ])('%j', async (more, field) => {
    expect(await violations(more)).toEqual([field])
  })

  it('an unknown account, with 400: the API document has no 404 for balances', async () => {
    const { emulator } = createBench()
    const { apiUrl, posId } = emulator.credentials
    const url = `${apiUrl}/api/v1/balances/pos/${posId}/accounts/11111111-1111-4111-8111-111111111111`
    expect((await emulator.fetch(url, { headers: plain(emulator) })).status).toBe(400)
  })

  it('an empty X-API-AUTH, as a missing one', async () => {
    const { emulator } = createBench()
    const response = await post(emulator, '/api/v1/payment', direct(emulator), { 'X-API-AUTH': ' ' })
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('X-API-AUTH is missing') })
  })
})

describe('customer data', () => {
  it('comes back as documented text, or null, from a cancellation', async () => {
    const { emulator } = createBench()
    const { baseUrl, posId } = emulator.credentials
    const odd = { customer_ip: 5, customer_zzz: { a: 1 }, customer_city: 'Kyiv', customer_fname: undefined }
    await post(emulator, '/api/v1/payment', hosted(emulator, odd))
    const url = `${baseUrl}/api/v1/pos/${posId}/order/A-1/cancel`
    const [record] = (await (await emulator.fetch(url, { method: 'POST', headers: plain(emulator) })).json()) as Json[]
    expect(record).toMatchObject({ customer_city: 'Kyiv', customer_ip: null, customer_fname: null, customer_id: null })
    expect(record).not.toHaveProperty('customer_zzz')
  })

  it('of no documented field is not echoed', async () => {
    const { emulator } = createBench()
    const response = await post(emulator, '/api/v1/payment', direct(emulator, { customer_zzz: [1] }))
    expect(await response.json()).not.toHaveProperty('customer_zzz')
  })
})

it('the refund of a test card that declines it moves nothing, by hand either', async () => {
  const { emulator } = createBench()
  await post(emulator, '/api/v1/payment', direct(emulator, { cc_number: testCard('refund_declined') }))
  expect(emulator.control.refundPayment('A-1')).toMatchObject({ status: 'failure' })
  // By hand the outcome can be chosen.
  expect(emulator.control.refundPayment('A-1', 5, { status_code: '1004' })).toMatchObject({ status: 'success' })
  expect(emulator.control.refundPayment('A-1', 5, { status_code: '2001' })).toMatchObject({ status: 'pending' })
  expect(() => emulator.control.refundPayment('A-1', 90.51)).toThrow('90.5 left to refund')
})
