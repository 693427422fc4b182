import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient, createPayment } from '../src/index.ts'
import { HOSTED } from './support/inputs.ts'
import { CONFIG, redirect, wire } from './support/mock-fetch.ts'

afterEach(() => vi.restoreAllMocks())

const LONG = { ...HOSTED, order_id: 'x'.repeat(33), server_url: 'https://shop.example.com:9000/webhooks' }
const configOf = () => ({ ...CONFIG, fetch: wire(...Array(9).fill(() => redirect())).fetch })
const print = () => vi.spyOn(console, 'warn').mockImplementation(() => {})

describe('warnings without an onWarning', () => {
  it('go to console.warn once for each code and configuration object', async () => {
    const printed = print()
    const config = configOf()
    for (let i = 0; i < 3; i++) await createPayment(config, LONG)
    await createClient(config).createPayment(LONG)
    const codes = printed.mock.calls.map(([text]) => /\((\w+)\)/.exec(text)?.[1])
    expect(codes).toEqual(['order_id_not_capturable', 'unusual_webhook_port'])
    await createPayment({ ...config }, LONG)
    expect(printed).toHaveBeenCalledTimes(4)
  })

  it('are silenced by onWarning: () => {}; a missing customer field is too common to be printed', async () => {
    const printed = print()
    await createPayment({ ...configOf(), onWarning: () => {} }, LONG)
    const { customer_patronym: _patronym, ...input } = HOSTED
    await createPayment(configOf(), input)
    expect(printed).not.toHaveBeenCalled()
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

it('an option of a call that does not exist is rejected, with the one that was meant, before anything is sent', async () => {
  const { fetch, sent } = wire(() => redirect())
  const call = createClient({ ...CONFIG, fetch }).createPayment(HOSTED, { timeoutMS: 5 } as never)
  const message = expect.stringContaining('did you mean timeoutMs?')
  await expect(call).rejects.toMatchObject({ code: 'invalid_input', message })
  expect(sent).toEqual([])
})
