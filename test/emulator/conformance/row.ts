import type { createEmulator } from '../../../src/emulator/index.ts'
import { BEYOND } from '../../spec/beyond.ts'
import { DOCUMENT } from '../../spec/document.ts'
import { type Bench, createBench } from '../call.ts'

export type Create = typeof createEmulator

/** The quoted sources: the sections of the API document, and the public material beyond it. */
export const QUOTED = { ...DOCUMENT, beyond: BEYOND }
export type Section = keyof typeof QUOTED

/** One row of the conformance table: a sentence, and how to see over HTTP that it holds. */
export interface Row {
  section: Section
  sentence: string
  /** Throws when the sentence does not hold for the emulators that `create` makes. */
  run(create: Create): Promise<void>
}

/** The one sentence of a section that begins so. */
export function sentenceOf(section: Section, beginning: string): string {
  const found = QUOTED[section].filter((sentence) => sentence.startsWith(beginning))
  const [sentence] = found
  if (sentence === undefined || found.length > 1) {
    throw new Error(`${found.length} sentences of ${section} begin with ${beginning}`)
  }
  return sentence
}

/** Sees that a sentence holds, on a separate bench, or on more that it makes with `create`. */
type Check = (bench: Bench, create: Create) => Promise<void>

/** A row of the one sentence of a section that begins so. */
export function row(section: Section, beginning: string, check: Check): Row {
  return { section, sentence: sentenceOf(section, beginning), run: (create) => check(createBench({}, create), create) }
}

/** Several sentences that say the same, each as `section: beginning`. */
export function rows(quotes: `${Section}: ${string}`[], check: Check): Row[] {
  return quotes.map((quote) => {
    const [section = '', beginning = ''] = quote.split(/: (.*)/)
    return row(section as Section, beginning, check)
  })
}

/** A row for each line of a section's table: `run` sees that what its cells say holds. */
export function tableRows(section: Section, run: (create: Create, ...cells: string[]) => Promise<void>): Row[] {
  return tableOf(section).map(({ line, cells }) => ({
    section,
    sentence: line,
    run: (create) => run(create, ...cells),
  }))
}

/** The cells of the table rows of a section. */
export function tableOf(section: Section): { line: string; cells: string[] }[] {
  const lines = QUOTED[section].filter((sentence) => sentence.startsWith('|'))
  return lines.map((line) => ({
    line,
    cells: line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  }))
}

/** The names in backticks of a sentence. */
export function namesIn(sentence: string): string[] {
  return [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')
}
