import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { prove, reportText } from '../../../src/testing/index.ts'
import { CARD } from '../../support/inputs.ts'
import { openShop as openEmulator } from '../../support/shop.ts'
import { Document } from '../support/document.ts'
import { serve, serveNewEmulator } from '../support/fixtures.ts'
import { freePort } from '../support/free-port.ts'
import { load } from '../support/program.ts'
import { blocks } from '../support/snippets.ts'
import { against } from '../support/verb.ts'

export default function tests(): void {
  describe('SKILL.md', () => {
    const skill = Document.of('SKILL.md')
    const titles = [...skill.text.matchAll(/^## (.+)\n(?:(?!^## |^```)[\s\S])*^```ts$/gm)].map(
      ([, title = '']) => title,
    )

    const SHOP = skill.program('A shop that is right')
    const STAFF_TOKEN = 'only the staff has it'
    type Program = {
      openShop(env: object, database: DatabaseSync): Promise<{ fetch(request: Request): Promise<Response> }>
    }

    it.each(titles.filter((title) => title !== 'A shop that is right'))('%s: runs', async (title) => {
      await load(skill.program(title))
    })

    // Drawn orders are for the job of guides/ci.md.
    it('has a shop in which prove finds nothing, its refund button included', { timeout: 120_000 }, async () => {
      const port = await freePort()
      const { openShop } = (await load(SHOP.replace('3000', String(port)))) as Program
      const { emulator, origin } = await serveNewEmulator()
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      const env = { ...against(emulator).environment, STAFF_TOKEN }
      const { fetch } = await openShop(env, new DatabaseSync(':memory:'))
      const shop = await serve(fetch, { port })
      const orders = `${shop.origin}/orders`
      const addresses = { url: `${shop.origin}/webhooks`, create: orders, state: `${orders}/{order_id}` }
      const refund = `${orders}/{order_id}/refund`
      const headers = { authorization: `Bearer ${STAFF_TOKEN}` }
      const report = await prove({ ...addresses, refund, headers, emulator: origin, usesEdgetill: true, orders: 0 })
      expect(reportText(report)).toMatch(/nothing found/)
      expect(report.findings).toEqual([])
    })

    it('has a shop that refunds nothing for a stranger, nor without a secret', async () => {
      const { openShop } = (await load(SHOP)) as Program
      const { emulator, client } = openEmulator()
      await client.createPayment({ ...CARD, order_id: 'A-1' })
      const press = async (token: string | undefined, authorization?: string) => {
        const env = { ...against(emulator).environment, STAFF_TOKEN: token }
        const { fetch } = await openShop(env, new DatabaseSync(':memory:'))
        const body = new URLSearchParams({ key: 'k', amount: '5' })
        const init = { method: 'POST', body, ...(authorization !== undefined && { headers: { authorization } }) }
        return (await fetch(new Request('http://shop/orders/A-1/refund', init))).status
      }
      expect(await press(undefined, 'Bearer undefined')).toBe(503)
      expect(await press('', 'Bearer ')).toBe(503)
      for (const wrong of [undefined, '', 'Bearer undefined', 'Bearer wrong'])
        expect(await press(STAFF_TOKEN, wrong)).toBe(401)
      expect(emulator.orders.get('A-1')?.operations).toEqual([])
    })

    it('has every program under a separate title', () => {
      expect(titles).toHaveLength(blocks('SKILL.md', 'ts').length)
    })
  })
}
