import { expect, it } from 'vitest'
import { testEvent } from '../../../src/testing/index.ts'
import { signWebhook } from '../../../src/webhooks/index.ts'
import { Document } from '../support/document.ts'
import { load } from '../support/program.ts'

export default function tests(): void {
  it('guides/moving.md: compares what the old code made of its webhooks', async () => {
    const { compare } = (await load(Document.of('guides/moving.md').program('Compare'))) as unknown as {
      compare(rows: object[], secret: string, old: Map<string, string>): string[]
    }
    const form = (order_id: string, status: 'success' | 'failure', created_at: string) => {
      const { data, signature } = testEvent('purchase', { order_id, status, created_at, payment_id: created_at })
      return { data, signature }
    }
    const [declined, paid] = [
      form('A-1', 'failure', '2026-03-01T10:00:00'),
      form('A-1', 'success', '2026-03-01T10:05:00'),
    ]
    const forged = signWebhook({ order_id: 'A-3' }, 'another secret')
    const rows = [paid, declined, form('A-2', 'failure', '2026-03-01T10:00:00'), forged]
    const old = new Map([
      ['A-1', 'unpaid'],
      ['A-2', 'unpaid'],
    ])
    expect(compare(rows, 'emulator-api-secret', old)).toEqual([
      'a webhook was taken that is not genuine: signature_mismatch',
      'A-1: unpaid before, paid (success, paid_after_failure) now',
    ])
    expect(compare([paid, paid], 'emulator-api-secret', new Map([['A-1', 'paid']]))).toEqual([])
  })
}
