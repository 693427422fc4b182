import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { eventKey } from '../../src/orders/index.ts'
import { type TestEventKind, testEvent } from '../../src/testing/index.ts'
import { createWebhookHandler, readEvent, verifyWebhook } from '../../src/webhooks/index.ts'
import { namesIn, sentenceOf, tableOf } from '../emulator/conformance/row.ts'

const PRIMARY = ['purchase', 'auth', 'credit', 'p2p', 'lookup'] as const
const SECONDARY = ['capture', 'void', 'auth_increment', 'refund'] as const
const KINDS: readonly TestEventKind[] = [...PRIMARY, ...SECONDARY, 'unknown', 'unexpected']
const SECRET = createEmulator().credentials.apiSecret

it.each(KINDS)('makes a %s webhook that verifies with the secret of the emulator', async (kind) => {
  const made = testEvent(kind)
  expect(verifyWebhook(made, SECRET)).toEqual(made.event)
  expect(made.event.kind).toBe(kind)
  const events: unknown[] = []
  const receive = createWebhookHandler({ secrets: SECRET, onEvent: (event) => void events.push(event) })
  const url = 'https://shop.example.com/webhooks'
  expect([(await receive(made.request(url))).status, (await receive(made.request(url))).status]).toEqual([200, 200])
  expect(events).toEqual([made.event, made.event])
})

it.each([...PRIMARY, ...SECONDARY])('has every documented parameter of a successful %s', (kind) => {
  const column = SECONDARY.indexOf(kind as 'capture') + 1
  const ofPrimary = ['Required:', 'Optional:'].flatMap((start) => namesIn(sentenceOf('primary-webhook', start)))
  const ofSecondary = tableOf('secondary-webhook')
    .filter(({ cells }) => cells[column] === 'yes')
    .flatMap(({ cells: [names = ''] }) => names.replace(' (required)', '').split(', '))
  // Fields of only some payments: a limit, an account instead of a card.
  const others = ['limit_info', 'bank_pay', ...(kind === 'p2p' || kind === 'lookup' ? ['receipt_url'] : [])]
  const documented = (column > 0 ? ofSecondary : ofPrimary).filter((name) => !others.includes(name))
  const { record, issues } = testEvent(kind).event
  expect(Object.keys(record).toSorted()).toEqual(documented.toSorted())
  expect([issues, column > 0 && record.mode]).toEqual([[], column > 0 && 'direct'])
})

it('makes another event each time, and the same one from the same webhook', () => {
  const [one, other] = [testEvent('refund'), testEvent('refund')]
  expect(eventKey(one.event)).not.toBe(eventKey(other.event))
  expect(eventKey(readEvent({ ...one.event.record }))).toBe(eventKey(one.event))
})

it('takes parameters as they are given, and leaves out what belongs to a success', () => {
  const declined = testEvent('purchase', { order_id: 'A-1', status: 'failure', amount: 20, payload: undefined })
  expect(declined.event).toMatchObject({ order_id: 'A-1', status: 'failure', status_code: '4153', amount: 20 })
  for (const name of ['payload', 'receipt_url', 'fee', 'cc_token']) expect(declined.event).not.toHaveProperty(name)
  expect(testEvent('purchase', { status: 'pending', status_code: '2122' }).event.status_code).toBe('2122')
  const bonus = { method: 'bonus', points: 5 }
  expect(testEvent('unknown', bonus).event.record).toMatchObject(bonus)
})

it('is a forgery with another secret', () => {
  expect(() => verifyWebhook(testEvent('purchase', {}, { secret: 'another' }), SECRET)).toThrow('signature')
})

it('rejects what makes it another kind, and says why', () => {
  const wrong = { amount: 'ten' as unknown as number }
  expect(() => testEvent('purchase', wrong)).toThrow(
    "testEvent: with these overrides a purchase webhook is read as unexpected (amount must be a number). Ask for testEvent('unexpected', …) if that is meant.",
  )
  expect(testEvent('unexpected', wrong).event.record.amount).toBe('ten')
  expect(() => testEvent('unexpected', { amount: 5 })).toThrow('is read as purchase')
  expect(() => testEvent('purchase', {}, { secrets: 'x' } as never)).toThrow('Did you mean "secret"?')
})
