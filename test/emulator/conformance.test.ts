import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { OUTSIDE } from './conformance/outside.ts'
import { QUOTED } from './conformance/row.ts'
import { TABLE } from './conformance/table.ts'

/**
 * The conformance table: each row quotes a sentence of the service's API document and sees over HTTP, with plain `fetch` and
 * without the SDK, that the emulator does what it says.
 */
for (const section of new Set(TABLE.map((row) => row.section))) {
  describe(section, () => {
    for (const { sentence, run } of TABLE.filter((row) => row.section === section)) {
      it(sentence, () => run(createEmulator))
    }
  })
}

it('every sentence has a row, or a reason why nothing of it can be seen, and none has both', () => {
  const key = (one: { section: string; sentence: string }): string => `${one.section}: ${one.sentence}`
  const seen = new Set(TABLE.map(key))
  const excused = OUTSIDE.map(key)
  const all = Object.entries(QUOTED).flatMap(([section, list]) => list.map((sentence) => key({ section, sentence })))
  expect(all.length).toBeGreaterThan(250)
  expect(all.filter((sentence) => seen.has(sentence) === excused.includes(sentence))).toEqual([])
  expect(OUTSIDE.filter(({ why }) => why.length < 5)).toEqual([])
})
