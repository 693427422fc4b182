import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { BEYOND } from '../spec/beyond.ts'
import { DOCUMENT } from '../spec/document.ts'
import { OUTSIDE } from './conformance/outside.ts'
import { TABLE } from './conformance/table.ts'

/**
 * The conformance table: each row quotes a sentence of the service's API document and sees over HTTP, with plain `fetch` and
 * without the SDK, that the emulator does what it says.
 */
for (const section of Object.keys(DOCUMENT) as (keyof typeof DOCUMENT)[]) {
  const rows = TABLE.filter((row) => row.section === section)
  if (rows.length === 0) continue
  describe(section, () => {
    for (const { sentence, run } of rows) it(sentence, () => run(createEmulator))
  })
}

describe('beyond the API document', () => {
  for (const { sentence, run } of TABLE.filter(({ section }) => section === 'beyond')) {
    it(sentence, () => run(createEmulator))
  }
})

describe('the table is complete', () => {
  const key = ({ section, sentence }: { section: string; sentence: string }): string => `${section}: ${sentence}`
  const quoted = new Set(TABLE.filter(({ section }) => section !== 'beyond').map(key))
  const excused = OUTSIDE.map(key)
  const document = Object.entries(DOCUMENT).flatMap(([section, sentences]) =>
    sentences.map((sentence: string) => key({ section, sentence })),
  )

  it('every sentence of the API document has a row, or a reason why nothing of it can be seen', () => {
    expect(document.length).toBeGreaterThan(250)
    expect(document.filter((sentence) => !quoted.has(sentence) && !excused.includes(sentence))).toEqual([])
  })

  it('every sentence beyond the API document has a row', () => {
    const rows = TABLE.filter(({ section }) => section === 'beyond').map(({ sentence }) => sentence)
    expect(rows.sort()).toEqual([...BEYOND].sort())
  })

  it('no sentence has both, and no quotation is invented', () => {
    expect(excused.filter((sentence) => quoted.has(sentence))).toEqual([])
    expect([...quoted, ...excused].filter((sentence) => !document.includes(sentence))).toEqual([])
    expect(OUTSIDE.filter(({ why }) => why.length < 5)).toEqual([])
  })
})
