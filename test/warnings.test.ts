import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient, createPayment, isApiError, isConfigError } from '../src/index.ts'
import { HOSTED } from './support/inputs.ts'
import { CONFIG, redirect, wire } from './support/mock-fetch.ts'

afterEach(() => vi.restoreAllMocks())

const LONG = { ...HOSTED, order_id: 'x'.repeat(33), server_url: 'https://shop.example.com:9000/webhooks' }

describe('warnings without an onWarning', () => {
  it('go to console.warn once for each code and configuration object', async () => {
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const config = { ...CONFIG, fetch: wire(...Array(9).fill(() => redirect())).fetch }
    for (let i = 0; i < 3; i++) await createPayment(config, LONG)
    await createClient(config).createPayment(LONG)
    expect(print.mock.calls.map(([text]) => /\((\w+)\)/.exec(text)?.[1])).toEqual([
      'order_id_not_capturable',
      'unusual_webhook_port',
    ])
    await createPayment({ ...config }, LONG)
    expect(print).toHaveBeenCalledTimes(4)
  })

  it('are silenced by onWarning: () => {}', async () => {
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await createPayment({ ...CONFIG, fetch: wire(() => redirect()).fetch, onWarning: () => {} }, LONG)
    expect(print).not.toHaveBeenCalled()
  })

  it('a missing customer field is never printed: it is too common', async () => {
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { customer_patronym: _patronym, ...input } = HOSTED
    await createPayment({ ...CONFIG, fetch: wire(() => redirect()).fetch }, input)
    expect(print).not.toHaveBeenCalled()
  })
})

it.each([
  ['http://127.0.0.1:4010', 'http://localhost:3000/', []],
  ['http://127.0.0.1:4010', 'http://shop.example.com/', ['unusual_webhook_port']],
  ['https://pay.example.com', 'http://127.0.0.1:3000/', ['unusual_webhook_port']],
])('a service on %s with a receiver on %s warns of %j', async (baseUrl, server_url, codes) => {
  const warned: string[] = []
  const onWarning = ({ code }: { code: string }) => warned.push(code)
  const fetch = wire(() => redirect(`${baseUrl}/api/v1/checkout/1/form`)).fetch
  await createPayment({ ...CONFIG, baseUrl, fetch, onWarning }, { ...HOSTED, server_url })
  expect(warned).toEqual(codes)
})

describe('an option that does not exist', () => {
  it('of the configuration is rejected, with those that there are', () => {
    const message = expect.stringContaining('apiURL is not an option; the options are baseUrl, apiUrl, ')
    const thrown = expect.objectContaining({ code: 'config', field: 'apiURL', message })
    expect(() => createClient({ ...CONFIG, apiURL: 'canary' } as never)).toThrow(thrown)
  })

  it('of a call is rejected too, before anything is sent', async () => {
    const { fetch, sent } = wire(() => redirect())
    const call = createClient({ ...CONFIG, fetch }).createPayment(HOSTED, { timeoutMS: 5 } as never)
    await expect(call).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('the options are signal, timeoutMs'),
    })
    expect(sent).toEqual([])
  })
})

it('an error of another library with the same code is not ours', () => {
  expect(isApiError(Object.assign(new Error('x'), { code: 'api' }))).toBe(false)
  expect(isConfigError(Object.assign(new Error('x'), { code: 'config' }))).toBe(false)
})
