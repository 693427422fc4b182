// `npm run check`: format, lint, types, build, package. Every check runs, and the last line is `N passed, N failed`.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { ENTRIES } from './entries.ts'

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'edgetill-check-'))

const sources = ENTRIES.map(({ source }) => source).join(' ')

// In this order: the package checks look at what the build made.
const CHECKS: [name: string, command: string][] = [
  ['format and lint', 'biome ci --colors=off .'],
  ['types of src', 'tsc -p tsconfig.json'],
  ['types of worker', 'tsc -p worker/tsconfig.json'],
  ['types of test, examples and configurations', 'tsc -p test/tsconfig.json'],
  ['types under Deno', `deno check ${sources}`],
  // Twice: of all that there is, and of what is shipped, where a test's use does not count.
  ['unused code and packages', 'knip -c test/knip.ts && knip --production -c test/knip.ts'],
  ['build', 'tsup --silent'],
  ['package', 'publint --strict'],
  [
    'package types',
    `npm pack --silent --ignore-scripts --pack-destination ${folder} && attw --profile esm-only ${folder}/*.tgz`,
  ],
  ['worker bundle', `wrangler deploy --dry-run --outdir ${folder}/worker`],
  ['size budget', 'node scripts/size.ts'],
  ['documentation', `deno doc --html --name=edgetill --output=${folder}/docs ${sources}`],
  ['JSR package', 'deno publish --dry-run --allow-dirty'],
]

let passed = 0
let failed = 0
for (const [name, command] of CHECKS) {
  const { status, stdout, stderr, error } = spawnSync('bash', ['-c', command], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
      WRANGLER_SEND_METRICS: 'false',
      DENO_NO_UPDATE_CHECK: '1',
      NO_COLOR: '1',
    },
  })
  const ok = status === 0
  if (ok) passed++
  else failed++
  console.log(`${ok ? 'passed' : 'FAILED'}  ${name}`)
  if (!ok) console.log(`${command}\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`)
}
rmSync(folder, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
