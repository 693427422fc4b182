import { expect, it } from 'vitest'
import type { Client } from '../../../src/index.ts'
import { HOSTED } from '../../support/inputs.ts'
import { openShop } from '../../support/shop.ts'
import { Document } from '../support/document.ts'
import { load } from '../support/program.ts'

export default function tests(): void {
  type Program = Record<string, (...given: unknown[]) => Promise<never>>

  const troubleshooting = Document.of('guides/troubleshooting.md')
  const sell = (client: Client, order_id: string) => client.createPayment({ ...HOSTED, order_id })

  it('guides/troubleshooting.md: shows an order as the service has it, and names the code of a used order_id', async () => {
    const { look } = (await load(troubleshooting.program('An order at the service'))) as Program
    const { emulator, client } = openShop({ maxRetries: 0 })
    await emulator.pay((await sell(client, 'A-1')).url)
    await client.refundPayment({ order_id: 'A-1', order_currency: 'UAH', refund_amount: 20 })
    const lines = (await look?.(client, 'A-1')) as unknown as string[]
    expect(lines.map((line) => line.split('  ').slice(1, 3).join(' '))).toEqual([
      ...['purchase success', 'refund success', ''],
    ])
    expect(lines.at(-1)).toBe('success: captured 100.5, refunded 20')
    const { apiCode } = await sell(client, 'A-1').catch((error) => error)
    expect(troubleshooting.rows('Calls').map(([cell]) => cell)).toContain(`\`${apiCode}\``)
  })
}
