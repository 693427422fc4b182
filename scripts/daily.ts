// The tests that take too long for every change: the daily workflow runs each part in its own job.
//   npm run test:daily                          every part, for some hours
//   npm run test:daily -- races                 a part that is named
//   npm run test:daily -- mutation till cli     a tenth of the changes of these areas of mutation-areas.ts, a different tenth each day
// Every part runs, and the last line is `N passed, N failed`: of parts.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './vitest-run.ts'

const DAY_MS = 86_400_000
const tenth = `${(Math.floor(Date.now() / DAY_MS) % 10) + 1}/10`

interface Part {
  script: string
  words?: readonly string[]
  env?: Readonly<Record<string, string>>
}

const PARTS: Readonly<Record<string, Part>> = {
  // Provers with thousands of orders, shops in other languages, 50 schedules of each scenario, every portable test on each
  // runtime, a Worker without `process` and `Buffer`, the tarball on everything that it is promised for, and the guides' recipes
  // in the output of each framework, which changes without us.
  tests: { script: 'scripts/run-tests.ts', words: ['--daily'] },
  // New schedules each day: a failure prints the line that replays it.
  simulator: {
    script: 'scripts/run-tests.ts',
    words: ['node', 'test/simulator/simulator.test.ts'],
    env: { EDGETILL_MINUTES: '20' },
  },
  // Every interleaving; the tests explore a part.
  model: { script: 'test/simulator/run.ts' },
  // Each race that is planted has to be found.
  races: { script: 'test/simulator/plant.ts' },
  mutation: { script: 'scripts/mutate.ts', words: ['--share', tenth] },
}

const [named, ...areas] = process.argv.slice(2)
const parts = Object.entries(PARTS).filter(([name]) => named === undefined || name === named)
if (parts.length === 0) {
  console.error(`There is no part ${named}. The parts are ${Object.keys(PARTS).join(', ')}.`)
  process.exit(2)
}

const failed = parts.filter(([name, { script, words = [], env }]) => {
  console.log(`\n== ${name}`)
  const given = [join(root, script), ...words, ...(name === 'mutation' ? areas : [])]
  return (
    spawnSync(process.execPath, given, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status !== 0
  )
})
for (const [name] of failed) console.log(`failed: npm run test:daily -- ${name}`)
console.log(`${parts.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length > 0 ? 1 : 0
