import { expect, it, onTestFinished } from 'vitest'
import { bundled } from './support/program.ts'
import { openWorkerd } from './support/workerd.ts'

it('the emulator is a Worker: export default createEmulator() keeps its orders and delivers after the response', async () => {
  const contents = await bundled(`import { createEmulator } from 'edgetill/emulator'
export default createEmulator({ origin: 'http://emulator.test' })`)
  const outside = async () => new Response(null, { status: 202 })
  const miniflare = openWorkerd({ contents, outside })
  onTestFinished(() => miniflare.dispose())
  const ask = async (name: string, body?: object): Promise<unknown> => {
    const init = body && { method: 'POST', body: JSON.stringify(body) }
    return (await miniflare.dispatchFetch(`http://emulator.test/_emulator/api/${name}`, init)).json()
  }
  const payment = { method: 'credit', order_id: 'C', amount: 2, currency: 'UAH', server_url: 'http://shop.test/hook' }
  expect(await ask('payment', payment)).toMatchObject({ status: 'success' })
  expect(await ask('orders')).toMatchObject([{ order_id: 'C', status: 'success' }])
  await ask('clock', {})
  expect(await ask('deliveries')).toMatchObject([{ order_id: 'C', attempts: [{ status: 202 }] }])
})
