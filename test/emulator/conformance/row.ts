import type { createEmulator } from '../../../src/emulator/index.ts'
import type { BeyondSentence } from '../../spec/beyond.ts'
import { DOCUMENT, type Section, type Sentence } from '../../spec/document.ts'

export type Create = typeof createEmulator

/** One row of the conformance table: a sentence of the API document (or of public material beyond it), and how to see over HTTP that it holds. */
export interface Row {
  section: Section | 'beyond'
  sentence: string
  /** Throws when the sentence does not hold for the emulators that `create` makes. */
  run(create: Create): Promise<void>
}

export function row<S extends Section>(section: S, sentence: Sentence<S>, run: Row['run']): Row {
  return { section, sentence, run }
}

export function beyondRow(sentence: BeyondSentence, run: Row['run']): Row {
  return { section: 'beyond', sentence, run }
}

/** A sentence that no request can show, and why. */
export interface Outside {
  section: Section
  sentence: string
  why: string
}

export function outside<S extends Section>(section: S, sentence: Sentence<S>, why: string): Outside {
  return { section, sentence, why }
}

/** The cells of the table rows of a section. */
export function tableOf(section: Section): { line: string; cells: string[] }[] {
  const lines: readonly string[] = DOCUMENT[section]
  return lines
    .filter((line) => line.startsWith('|'))
    .map((line) => ({
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

export function sentenceOf(section: Section, beginning: string): string {
  const found = (DOCUMENT[section] as readonly string[]).find((sentence) => sentence.startsWith(beginning))
  if (found === undefined) throw new Error(`${section} has no sentence that begins with ${beginning}`)
  return found
}
