// `npm run check`: format, lint, types, build, package. Every check runs, and the last line is `N passed, N failed`.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { ENTRIES } from './entries.ts'

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'edgetill-check-'))

const sources = ENTRIES.map(({ source }) => source).join(' ')

/** The command that helps where it fails: it corrects what is wrong, or shows it alone. */
type Check = [name: string, command: string, helps: string]

const SOURCES: Check[] = [
  ['format and lint', 'biome ci --colors=off .', 'npm run format'],
  ['types of src', 'tsc -p tsconfig.json', 'npm run typecheck'],
  ['types of worker', 'tsc -p worker/tsconfig.json', 'npm run typecheck'],
  ['types of test, examples and configurations', 'tsc -p test/tsconfig.json', 'npm run typecheck'],
  ['types under Deno', `deno check ${sources}`, 'npx deno check FILE'],
  ['methods of the client', 'node scripts/client-methods.ts', 'npm run client:update'],
  // Twice: of all that there is, and of what is shipped, where a test's use does not count.
  [
    'unused code and packages',
    'knip -c test/knip.ts && knip --production -c test/knip.ts',
    'npx knip -c test/knip.ts --fix',
  ],
  ['documentation', `deno doc --html --name=edgetill --output=${folder}/docs ${sources}`, 'npm run docs'],
  ['JSR package', 'deno publish --dry-run --allow-dirty', 'npx deno publish --dry-run --allow-dirty'],
]

// In this order: what follows the build looks at what it made.
const BUILT: Check[] = [
  ['build', 'tsup --silent', 'npm run build'],
  ['package', 'publint --strict', 'npm run exports:update'],
  [
    'package types',
    // Without `exports`, as node10 reads a package, edgetill/worker is the folder of the template.
    `npm pack --silent --ignore-scripts --pack-destination ${folder} && attw ${folder}/*.tgz --profile esm-only --ignore-rules internal-resolution-error`,
    'npm run exports:update',
  ],
  [
    'worker bundle',
    `wrangler deploy --dry-run --env live --outdir ${folder}/worker`,
    'npx wrangler deploy --dry-run --env live',
  ],
  ['size budget', 'node scripts/size.ts', 'npm run check:size, then npm run size:update'],
]

let passed = 0
let failed = 0
// Two at a time: most checks use one core.
await Promise.all([SOURCES, BUILT].map(runChecks))
rmSync(folder, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function runChecks(checks: readonly Check[]): Promise<void> {
  for (const [name, command, helps] of checks) {
    const { ok, output } = await run(command)
    if (ok) passed++
    else failed++
    console.log(`${ok ? 'passed' : 'FAILED'}  ${name}`)
    if (!ok) console.log(`${command}\n${output}\nWhat helps: ${helps}`)
  }
}

function run(command: string): Promise<{ ok: boolean; output: string }> {
  return new Promise((done) => {
    const child = spawn('bash', ['-c', `{ ${command}; } 2>&1`], {
      cwd: root,
      env: {
        ...process.env,
        PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
        WRANGLER_SEND_METRICS: 'false',
        DENO_NO_UPDATE_CHECK: '1',
        NO_COLOR: '1',
      },
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.on('error', (error) => done({ ok: false, output: error.message }))
    child.on('close', (code) => done({ ok: code === 0, output }))
  })
}
