// `npm run bench -- [subject …] [--quick] [--json FILE]`: measures edgetill and its alternatives side by side in one run. It
// prints Markdown tables, and writes bench/results.json, bench/README.md and the charts. A goal that is
// missed is reported and fails nothing.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { describeMachine, machineText } from './machine.ts'
import { type Report, type Subject, toMarkdown } from './report.ts'
import { type Results, saveResults } from './results.ts'

const SUBJECTS: Record<string, () => Promise<{ measure: Subject }>> = {
  verify: () => import('./subjects/verify.ts'),
  receive: () => import('./subjects/receive.ts'),
  call: () => import('./subjects/call.ts'),
  worker: () => import('./subjects/worker.ts'),
  size: () => import('./subjects/size.ts'),
  start: () => import('./subjects/start.ts'),
  types: () => import('./subjects/types.ts'),
}

const { values, positionals } = readArguments()
const chosen = positionals.length > 0 ? positionals : Object.keys(SUBJECTS)
const machine = describeMachine()
const results: Results = {}
console.log(`# Bench${values.quick ? ' (quick)' : ''}\n\n${machineText(machine)}\n`)
console.log('Medians of the rounds, ± the farther quartile; × is the ratio to edgetill. Rounds are taken in turn.\n')
for (const name of chosen) {
  const { measure } = (await SUBJECTS[name]?.()) ?? fail(`Unknown subject: ${name}.`)
  const startedAt = performance.now()
  const report: Report = await measure({ quick: values.quick, say: (text) => console.error(`  ${name}: ${text}`) })
  results[name] = { machine, quick: values.quick, report }
  // At once: a later subject may fail.
  saveResults(results)
  console.log(`## ${report.title}\n\n${toMarkdown(report)}`)
  console.error(`  ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`)
// Runtimes that were started for a measurement may keep this process alive.
process.exit(0)

function readArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
    })
    const unknown = parsed.positionals.filter((name) => !Object.hasOwn(SUBJECTS, name))
    if (unknown.length > 0) fail(`Unknown subject: ${unknown.join(' ')}.`)
    return parsed
  } catch (error) {
    return fail((error as Error).message)
  }
}

function fail(what: string): never {
  console.error(`${what} Subjects: ${Object.keys(SUBJECTS).join(', ')}; options: --quick, --json FILE.`)
  process.exit(2)
}
