import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { type Mutant, mutants } from '../emulator/conformance/mutants.ts'
import type { Row } from '../emulator/conformance/row.ts'
import { TABLE } from '../emulator/conformance/table.ts'
import { isForChange } from '../support/environment.ts'
import { SEED } from '../support/property.ts'

/** Each rule of the emulator is broken on purpose, one at a time, and the conformance table has to notice. */
const all = mutants()
/** A change is judged by a sixth of them. */
const STEP = isForChange ? 6 : 1
const played = all.filter((_, index) => index % STEP === SEED % STEP)

/** Rows that name what was broken come first, then those that noticed the last mutants: most mutants die at once. */
function ordered(mutant: Mutant, lately: Row[]): Row[] {
  const path = mutant.path.split('.')
  const words = path.map((word) => word.toLowerCase())
  const last = ['type', 'required', 'max'].includes(words.at(-1) ?? '') ? words.at(-2) : words.at(-1)
  const near = TABLE.filter(({ sentence }) => sentence.toLowerCase().includes(last ?? ''))
  // `parameters.splitRefund` and `endpoints.void-payment` are seen by the rows of those operations.
  const topic = (path[1] ?? '').split(/-|(?=[A-Z])/).map((word) => word.toLowerCase())
  const operation = TABLE.filter(({ section, sentence }) => {
    const name = sentence.split('|')[1]?.toLowerCase() ?? ''
    return section === 'beyond' && topic.some((word) => word.length > 3 && name.includes(word))
  })
  const response = path[0] === 'responses' ? TABLE.filter(({ sentence }) => /^(The r|R)esponse/.test(sentence)) : []
  return [...new Set([...response, ...operation, ...near.slice(0, 12), ...lately, ...near, ...TABLE])]
}

it('the table holds for the emulator as it is', { timeout: 120_000 }, async () => {
  for (const { run } of TABLE) await run(createEmulator)
  expect(all.length).toBeGreaterThan(400)
})

it('the table notices each broken rule', { timeout: 1_200_000 }, async () => {
  const unnoticed: string[] = []
  let lately: Row[] = []
  for (const mutant of played) {
    const killer = await firstFailing(ordered(mutant, lately), mutant)
    if (killer === undefined) unnoticed.push(`${mutant.path}: ${mutant.change}`)
    else lately = [...new Set([killer, ...lately])].slice(0, 10)
  }
  expect(unnoticed).toEqual([])
})

async function firstFailing(rows: Row[], mutant: Mutant): Promise<Row | undefined> {
  for (const row of rows) {
    try {
      await row.run(mutant.create)
    } catch {
      return row
    }
  }
  return undefined
}
