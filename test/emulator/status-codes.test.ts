import { expect, it } from 'vitest'
import { describeCode, statusOfCode } from '../../src/emulator/spec/status-codes.ts'
import { describeStatusCode } from '../../src/index.ts'

it('every code that the SDK knows has a text here, and the same status', () => {
  const codes = Array.from({ length: 9000 }, (_, index) => String(1000 + index))
  const known = codes.flatMap((code) => {
    const group = describeStatusCode(code)?.group
    return group === undefined ? [] : [[code, group] as const]
  })
  expect(known.length).toBeGreaterThan(40)
  for (const [code, group] of known) {
    expect([code, statusOfCode(code), describeCode(code)]).toEqual([code, group, expect.not.stringContaining(code)])
  }
})
