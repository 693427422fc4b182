import { expect, it } from 'vitest'
import { describeCode, statusOfCode } from '../../src/emulator/spec/status-codes.ts'
import { customerActionUrl, describeStatusCode, isFinal } from '../../src/index.ts'

it('only success and failure are final', () => {
  expect(['success', 'failure'].map(isFinal)).toEqual([true, true])
  expect(['init', 'pending', 'processing', 'Success', '', 'unheard of'].map(isFinal)).toEqual(Array(6).fill(false))
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
