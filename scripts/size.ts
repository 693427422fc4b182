// `npm run check:size` fails when a bundle is larger than its committed budget, and names the imports that grew.
// `npm run size:update` writes the measured sizes as the budget, to be reviewed and committed. It never exceeds the limits
// in bench/ours.ts.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundle, buildPackage, bundleOf } from '../bench/bundles.ts'
import { OUR_BUNDLES } from '../bench/ours.ts'

/** By the bundle's name: its limit in bytes, and its parts at that time. */
type Budgets = Record<string, { gzipped: number; imports: Record<string, number> }>

/** Most entries of the package are one file: a program that imports several has their common code more than once. */
const CHUNKS = 1300

/** A budget is rounded up to this, so that it does not change with every word of an error's text. */
const STEP = 50

const file = join(import.meta.dirname, 'size-budget.json')
const budgets = JSON.parse(readFileSync(file, 'utf8')) as Budgets
const measured: Budgets = {}
const problems: string[] = []
const overLimit: string[] = []
await buildPackage()

for (const { name, program, without, limit } of OUR_BUNDLES) {
  const [{ gzipped, minified }, sources] = await Promise.all([
    bundleOf(program('package')),
    bundleOf(program('sources')),
  ])
  const { imports } = sources
  if (minified > sources.minified + CHUNKS) {
    const more = minified - sources.minified
    problems.push(`${name} has ${more} bytes more in the package than in the sources: its entries share more code`)
  }
  measured[name] = { gzipped: Math.min(Math.ceil(gzipped / STEP) * STEP, limit ?? Number.POSITIVE_INFINITY), imports }
  const budget = budgets[name]
  const over = budget ? gzipped - budget.gzipped : 0
  console.log(`${name.padEnd(22)} ${gzipped} bytes of ${budget?.gzipped ?? 'no budget'}`)
  if (!budget) problems.push(`${name} has no budget`)
  else if (over > 0) problems.push(`${name} is ${over} bytes over its budget: ${growth(budget.imports, imports)}`)
  if (limit !== undefined && gzipped > limit)
    overLimit.push(`${name} is ${gzipped - limit} bytes over its limit of ${limit} in bench/ours.ts`)
  for (const start of without) {
    const found = Object.keys(imports).filter((one) => one.startsWith(start))
    if (found.length > 0) problems.push(`${name} holds ${found.join(', ')}, which does not belong there`)
  }
}

if (process.argv.includes('--update')) {
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
  console.log('Wrote scripts/size-budget.json. Review and commit it.')
} else {
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) {
    process.exitCode = 1
    console.error('If the growth is intended, run `npm run size:update` and commit scripts/size-budget.json.')
  }
}

for (const problem of overLimit) console.error(problem)
if (overLimit.length > 0) process.exitCode = 1

/** The imports that are new or grew, the most first, in minified bytes. */
function growth(before: Bundle['imports'], after: Bundle['imports']): string {
  const grown = Object.entries(after)
    .map(([name, bytes]) => ({ name, more: bytes - (before[name] ?? 0), isNew: !(name in before) }))
    .filter(({ more, isNew }) => more > 0 || isNew)
    .sort((a, b) => b.more - a.more)
  const list = grown.map(({ name, more, isNew }) => `${name} +${more}${isNew ? ' (new)' : ''}`)
  return list.join(', ') || 'no import of it grew: they compress less'
}
