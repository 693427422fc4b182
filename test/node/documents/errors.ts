import { describe, expect, it } from 'vitest'
import { type Fault, testCard } from '../../../src/emulator/index.ts'
import { createClient } from '../../../src/index.ts'
import { CARD, DIRECT_AUTH } from '../../support/inputs.ts'
import { openShop } from '../../support/shop.ts'
import { Document } from '../support/document.ts'
import { load } from '../support/program.ts'

export default function tests(): void {
  type Call = (...given: unknown[]) => Promise<never>
  const clock = { now: () => Date.parse('2026-03-01T10:00:00Z') }
  const open = () => openShop({ maxRetries: 0, onWarning() {} }, { clock })

  describe('guides/errors.md', () => {
    const errors = Document.of('guides/errors.md')
    const program = errors.program('Handle every outcome of a call')
    const resolving = errors.program('After an unknown outcome')

    it('has a capture that distinguishes each outcome', async () => {
      const { charge } = (await load(program)) as Record<string, Call>
      const { emulator, client } = open()
      for (const name of ['success', 'capture_declined'] as const)
        await client.createPayment({ ...DIRECT_AUTH, order_id: name, cc_number: testCard(name) })
      const captures = () => emulator.orders.get('success')?.operations.length
      const hitBy = (fault: Fault) => {
        emulator.faults.next(fault)
        return charge?.(client, 'success', 10)
      }
      expect(await charge?.(client, 'success', 10)).toBe('captured 10')
      expect(await charge?.(client, 'capture_declined', 10)).toMatch(/^declined: \w+/)
      expect(await hitBy({ kind: 'too_many_requests' })).toBe('not processed: call again later')
      expect(captures()).toBe(1)
      expect(await hitBy({ kind: 'reset', when: 'after_commit' })).toMatch(/^find out before .*resolveOutcome/)
      expect(captures()).toBe(2)
      expect(await charge?.(client, 'nothing', 10)).toMatch(/^rejected with 404: /)
      await expect(charge?.(client, 'success', 0)).rejects.toMatchObject({ code: 'invalid_input' })
      const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
      const offline = createClient({ ...emulator.credentials, fetch: () => Promise.reject(refused) })
      expect(await charge?.(offline, 'success', 10)).toBe('not processed: call again later')
    })

    it('has a refund whose outcome is found out later, from JSON', async () => {
      const { refund, settle } = (await load(resolving)) as Record<string, Call>
      const { emulator, client } = open()
      await client.createPayment({ ...CARD, order_id: 'A-1', cc_number: testCard('success') })
      let saved = ''
      const make = (when?: 'after_commit' | 'before_commit') => {
        if (when) emulator.faults.next({ kind: 'reset', when, on: 'refund-payment' })
        return refund?.(client, 'A-1', 20.25, (job: object) => (saved = JSON.stringify(job)))
      }
      const found = (more: object = {}) => {
        const job = JSON.parse(saved)
        return settle?.(client, { ...job, call: { ...job.call, ...more } })
      }
      expect(await make()).toBe('success')
      expect([await make('after_commit'), await found()]).toEqual(['unknown', 'success'])
      const later = expect.stringMatching(/^ask again later/)
      expect([await make('before_commit'), await found()]).toEqual(['unknown', later])
      expect(await found({ sent_at: Date.now() - 600_000 })).toMatch(/^not refunded/)
    })
  })
}
