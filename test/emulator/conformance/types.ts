import { expect } from 'vitest'
import { createBench, direct, post } from '../call.ts'
import { OPTIONAL } from './probe.ts'
import { type Create, type Row, row } from './row.ts'
import { payDirect, takeSamples } from './samples.ts'

/** "Common types", each seen in answers. */
async function typeHolds(create: Create, type: string): Promise<void> {
  const { payments, webhooks } = await takeSamples(create)
  const [auth, waits] = payments
  const checks: Record<string, () => void> = {
    UUID: () => expect(auth?.payment_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    MODE: () => expect(new Set(payments.map(({ mode }) => mode))).toEqual(new Set(['direct', 'hosted'])),
    METHOD: () => {
      const methods = ['auth', 'auth_increment', 'capture', 'credit', 'lookup', 'p2p', 'purchase', 'refund', 'void']
      expect(Object.keys(webhooks).sort()).toEqual(methods)
    },
    CURRENCY: () => expect(auth?.currency).toBe('UAH'),
    CC_NUMBER: () => expect(payments.find(({ order_id }) => order_id === 'split')?.cc_number).toBe('4111111111111111'),
    CC_MASK: () => expect([auth?.cc_mask, waits?.cc_mask]).toEqual(['411111******1111', '400000******3220']),
    CC_TOKEN: () => expect(auth?.cc_token).not.toBe(waits?.cc_token),
    MCC: () => expect(auth?.mcc).toBe(OPTIONAL.merchant_mcc),
    ECI: () => expect([auth?.eci, waits?.eci]).toEqual(['07', null]),
    TIMESTAMP: () => {
      expect(auth?.created_at).toBe('2026-01-31T10:00:00.000')
      expect(auth?.cc_token_expiration).toBe('2027-01-31T10:00:00')
    },
    Amount: () => expect(auth?.amount).toBe(100.5),
  }
  const check = checks[type]
  if (check === undefined) throw new Error(`No check for the type ${type}`)
  check()
}

export const typeRows: Row[] = [
  ...(
    [
      '| UUID | Identifier in UUID format |',
      '| MODE | `direct` or `hosted` |',
      '| METHOD | Operation name: `purchase`, `auth`, `capture`, `void`, `refund`, `auth_increment`, `credit`, `p2p`, `lookup` |',
      '| CURRENCY | Currency code, ISO 4217 |',
      '| CC_NUMBER | Card number |',
      '| CC_MASK | Masked card number (digits hidden with `*`, first six and last four kept) |',
      '| CC_TOKEN | Card token issued by the service |',
      '| MCC | Merchant category code |',
      '| ECI | Electronic Commerce Indicator, result of 3-D Secure authentication |',
      '| TIMESTAMP | Date-time in the form `yyyy-MM-ddTHH:mm:ss.SSS` without zone designator (fraction may be absent in `cc_token_expiration`) |',
      '| Amount | Number, positive, at most 2 decimal digits |',
    ] as const
  ).map((sentence) => row('types', sentence, (create) => typeHolds(create, sentence.split(' ')[1] ?? ''))),
  row('types', '| Date | `YYYY-MM-DD` |', async (create) => {
    const bench = createBench({}, create)
    const body = (customer_birthday: string) =>
      direct(bench.emulator, { customer_birthday, order_id: customer_birthday })
    expect((await post(bench.emulator, '/api/v1/payment', body('2024-02-29'))).status).toBe(200)
    for (const wrong of ['2023-02-29', '2024-2-9', '29.02.2024', '2024-02-29T00:00:00']) {
      expect((await post(bench.emulator, '/api/v1/payment', body(wrong))).status).toBe(400)
    }
  }),
  row('types', '| Time | `HH:MM:SS`, UTC |', async (create) => {
    const bench = createBench({}, create)
    const init_recurring = { interval_unit: 'day', interval_count: 1, time: '23:59:59' }
    await payDirect(bench, { init_recurring })
    await bench.emulator.clock.advance({ days: 1, hours: 14 })
    expect(bench.emulator.orders.get('A-1')?.payments[1]?.created_at).toBe('2026-02-01T23:59:59.000')
  }),
]
