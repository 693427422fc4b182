import { expect, it } from 'vitest'
import { describeCode, statusOfCode } from '../../src/emulator/spec/status-codes.ts'
import {
  type Checkout,
  type ConfigError,
  customerActionUrl,
  describeStatusCode,
  isFinal,
  isSuccess,
  type Payment,
  type ResolvedOutcome,
} from '../../src/index.ts'
import type { Order, OrderOperation } from '../../src/orders/index.ts'
import type { WebhookEvent } from '../../src/webhooks/index.ts'

it('only success and failure are final', () => {
  expect(['success', 'failure'].map(isFinal)).toEqual([true, true])
  expect(['init', 'pending', 'processing', 'Success', '', 'unheard of'].map(isFinal)).toEqual(Array(6).fill(false))
})

it.each<[string, object]>([
  ['a plain object', { status: 'success' }],
  ['a row of node:sqlite, without a prototype', Object.assign(Object.create(null), { status: 'success' })],
  ['an object of another realm', Object.create(Object.create(null), { status: { value: 'success' } })],
  [
    'an instance of a class',
    new (class Row {
      status = 'success'
    })(),
  ],
  ['an event with the fields of a checkout', { kind: 'unexpected', status: 'success', url: 'x', outcome: 1 }],
])('a success is one whatever it is an instance of: %s', (_name, value) => {
  expect([isSuccess(value), isFinal(value)]).toEqual([true, true])
  const other = Object.create(Object.getPrototypeOf(value), { status: { value: 'pending' } })
  expect([isSuccess(other), isFinal(other)]).toEqual([false, false])
})

it.each<[string, unknown, RegExp]>([
  ['a promise', Promise.resolve({ status: 'success' }), /await it first/],
  ['a thenable', Object.assign(Promise.resolve(), { status: 'success' }), /await it first/],
  ['a list', [{ status: 'success' }], /pass one of its entries/],
  ['a Checkout', { url: 'https://pay.example.com', checkout_id: 'x' }, /has no status yet/],
  ['a Checkout without an id', { url: 'https://pay.example.com', checkout_id: undefined }, /has no status yet/],
  ['a ResolvedOutcome', { outcome: 'executed', record: { status: 'success' } }, /pass its record/],
  ['a function', () => 'success', /a function/],
])('what has no status is a mistake, not "no success": %s', (_name, value, says) => {
  for (const ask of [isSuccess, isFinal]) {
    const error = (() => {
      try {
        return ask(value as string)
      } catch (error) {
        return error as ConfigError
      }
    })()
    expect(error).toMatchObject({ code: 'config', message: expect.stringMatching(says) })
  }
})

it('takes by its types what has a status, and nothing else', () => {
  const check = (
    ...[payment, order, operation, event, row, checkout, resolved, promise]: [
      ...[Payment, Order, OrderOperation, WebhookEvent, { status: string; id: number }],
      ...[Checkout, ResolvedOutcome, Promise<Payment>],
    ]
  ) => {
    for (const ask of [isSuccess, isFinal]) {
      for (const value of [payment, order, operation, event, row, 'success', null, undefined]) ask(value)
      // @ts-expect-error
      ask(checkout)
      // @ts-expect-error
      ask(resolved)
      // @ts-expect-error
      ask(promise)
      // @ts-expect-error
      ask([payment])
      // @ts-expect-error
      ask(() => payment)
    }
  }
  expect(check).toBeTypeOf('function')
})

it('the customer goes to user_action_url while something is asked of them', () => {
  const user_action_url = 'https://pay.example.com/3ds/1'
  expect(customerActionUrl({ user_action_required: true, user_action_url })).toBe(user_action_url)
  expect(customerActionUrl({ user_action_required: false, user_action_url })).toBeUndefined()
  expect(customerActionUrl({ user_action_required: null, user_action_url })).toBeUndefined()
  expect(customerActionUrl({ user_action_required: true, user_action_url: null })).toBeUndefined()
  expect(customerActionUrl({})).toBeUndefined()
})

it.each<[string, string, RegExp]>([
  ['1000', 'success', /successful/],
  ['2122', 'pending', /3-D Secure/],
  ['6007', 'failure', /cancelled/],
  ['1002', 'success', /reserved/],
  ['4009', 'failure', /funds/],
  ['9000', 'pending', /unknown/],
])('%s is %s', (code, group, meaning) => {
  expect(describeStatusCode(code)).toMatchObject({ group, meaning: expect.stringMatching(meaning) })
})

it('knows 45 codes, each once, as the emulator does, and nothing else', () => {
  const codes = Array.from({ length: 10_000 }, (_, i) => String(i).padStart(4, '0'))
  const known = codes.filter((code) => describeStatusCode(code))
  expect(known).toHaveLength(45)
  for (const code of known) {
    expect([code, statusOfCode(code)]).toEqual([code, describeStatusCode(code)?.group])
    expect(describeCode(code)).not.toContain(code)
  }
  for (const code of ['', '1', '10000', '100', 's1000', '....', null, undefined]) {
    expect(describeStatusCode(code)).toBeUndefined()
  }
})
