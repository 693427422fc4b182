import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { createEmulator, testCard } from '../../../src/emulator/index.ts'
import type { Client } from '../../../src/index.ts'
import type { WebhookEvent } from '../../../src/webhooks/index.ts'
import { HOSTED } from '../../support/inputs.ts'
import { openShop } from '../../support/shop.ts'
import { Document } from '../support/document.ts'
import { load } from '../support/program.ts'
import { against } from '../support/verb.ts'

export default function tests(): void {
  type Call = (...given: unknown[]) => Promise<never>
  const clock = { now: () => Date.parse('2026-03-01T10:00:00Z') }
  const open = () => openShop({ maxRetries: 0, onWarning() {} }, { clock })

  describe('guides/going-live.md', () => {
    const connection = Document.of('guides/going-live.md').program('What arrives at the service')
    it('gives each request a connection of its own', async () => {
      const sent: RequestInit[] = []
      vi.stubGlobal('fetch', async (_: unknown, init: RequestInit) => {
        sent.push(init)
        return Response.json([])
      })
      const { open } = (await load(connection)) as { open(env: object): Client }
      const { environment } = against(createEmulator({ origin: 'https://pay.example.com' }))
      await open(environment).listOrderOperations({ order_id: 'A' })
      const headers = { connection: 'close', 'X-API-KEY': environment.EDGETILL_ENDPOINTS_KEY }
      expect(sent[0]).toMatchObject({ cache: 'no-store', headers })
    })

    const program = Document.of('guides/going-live.md').program('Direct mode')

    it('has a form and a handler that make a direct payment, and send the customer to 3-D Secure', async () => {
      const { form, pay } = (await load(program)) as { form: string; pay: Call }
      // The script of the form fills it in, in a page.
      const inputs: Record<string, string>[] = []
      runInNewContext(/<script>(.*)<\/script>/s.exec(form)?.[1] ?? '', {
        screen: { colorDepth: 24, height: 1080, width: 1920 },
        navigator: { javaEnabled: () => false, language: 'uk-UA' },
        document: {
          createElement: (tag: string) => ({ tag }),
          currentScript: { parentElement: { append: (input: Record<string, string>) => inputs.push(input) } },
        },
      })
      expect(inputs.filter(({ tag, type }) => tag !== 'input' || type !== 'hidden')).toEqual([])
      const filled = Object.fromEntries(inputs.map(({ name = '', value = '' }) => [name, value]))
      expect(filled).toMatchObject({
        ...{ browserColorDepth: '24', browserScreenHeight: '1080', browserScreenWidth: '1920' },
        ...{ browserJavaEnabled: 'false', browserLanguage: 'uk-UA', browserTimeZone: expect.stringMatching(/\w/) },
        browserTimeZoneOffset: expect.stringMatching(/^-?\d+$/),
      })
      const { emulator, client } = open()
      const submit = (card_cvv: string) => {
        const fields = { ...filled, cc_number: testCard('three_d_secure'), exp_month: '12', exp_year: '39', card_cvv }
        const headers = { accept: 'text/html', 'user-agent': 'Mozilla/5.0' }
        const init = { method: 'POST', headers, body: new URLSearchParams(fields) }
        return pay(client, new Request('https://shop.example.com/pay', init), '203.0.113.7')
      }
      expect([await submit('12'), emulator.orders.list().length]).toEqual(['/pay?again', 0])
      const secured = expect.stringMatching(/3ds|secure/i)
      expect([await submit('123'), emulator.orders.list().length]).toEqual([secured, 1])
    })
  })

  const sell = (client: Client, order_id: string) => client.createPayment({ ...HOSTED, order_id })

  it('the sweep finds a payment whose webhook was lost, and names what could not be asked', async () => {
    const { sweep } = (await load(Document.of('guides/going-live.md').program('The sweep of unpaid orders'))) as Record<
      string,
      Call
    >
    const { events: stored, emulator, client } = openShop({ maxRetries: 0 })
    emulator.faults.next({ kind: 'drop' })
    await emulator.pay((await sell(client, 'A-1')).url)
    await sell(client, 'A-2')
    expect(stored).toEqual([])
    const found: WebhookEvent[] = []
    const store = (event: WebhookEvent) => void found.push(event)
    expect(await sweep?.(client, ['A-1', 'A-2', 'never-created'], store)).toEqual([])
    expect(found.map(({ order_id, record }) => [order_id, record.status])).toEqual([
      ['A-1', 'success'],
      ['A-2', 'init'],
    ])
    emulator.faults.next({ kind: 'server_error' })
    expect(await sweep?.(client, ['A-1'], store)).toEqual(['A-1'])
  })
}
