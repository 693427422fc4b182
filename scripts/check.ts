// `npm run check`: format, lint, types, build, package. Every check runs, and the last line is `N passed, N failed`.

import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { ENTRIES } from './entries.ts'

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'edgetill-check-'))

/** TypeScript 7 takes a quarter of the time; `typescript` is version 5, for the programs that read code by its API. */
const TSC = 'node node_modules/typescript-7/bin/tsc'

const sources = ENTRIES.map(({ source }) => source).join(' ')

/** Installed apart: attw brings a TypeScript of its own. */
const VERSIONS = 'test -d test/tarball/versions/node_modules || npm ci --silent --prefix test/tarball/versions'

/** `helps`: the command that fixes a failure, or shows only it. */
type Check = [name: string, command: string, helps: string]

const SOURCES: Check[] = [
  ['format and lint', 'biome ci --colors=off .', 'npm run format'],
  ['types of src', `${TSC} -p tsconfig.json`, 'npm run typecheck'],
  ['types of worker', `${TSC} -p worker/tsconfig.json`, 'npm run typecheck'],
  ['types of test, examples and configurations', `${TSC} -p test/tsconfig.json`, 'npm run typecheck'],
  [
    'types of the bench',
    `npm ci --silent --prefix bench --ignore-scripts && ${TSC} -p bench/tsconfig.json`,
    'npx tsc -p bench',
  ],
  ['types under Deno', `deno check ${sources}`, 'npx deno check FILE'],
  ['methods of the client', 'node scripts/client-methods.ts', 'npm run client:update'],
  // Twice: all code, then only shipped code, for which a test's use does not count.
  [
    'unused code and packages',
    'knip -c test/knip.ts && knip --production -c test/knip.ts',
    'npx knip -c test/knip.ts --fix',
  ],
  ['documentation', `deno doc --html --name=edgetill --output=${folder}/docs ${sources}`, 'npx deno doc FILE'],
  ['JSR package', 'deno publish --dry-run --allow-dirty', 'npx deno publish --dry-run --allow-dirty'],
]

// In this order: the later checks read the build.
const BUILT: Check[] = [
  ['build', 'tsup --silent', 'npm run build'],
  ['package', 'publint --strict', 'npm run exports:update'],
  [
    'package types',
    // Without `exports`, as node10 reads a package, edgetill/worker is the folder of the template.
    `${VERSIONS} && npm pack --silent --ignore-scripts --pack-destination ${folder} && test/tarball/versions/node_modules/.bin/attw ${folder}/*.tgz --profile esm-only --ignore-rules internal-resolution-error`,
    'npm run exports:update',
  ],
  [
    'worker bundle',
    `wrangler deploy --dry-run --env live --outdir ${folder}/worker`,
    'npx wrangler deploy --dry-run --env live',
  ],
  ['size budget', 'node scripts/size.ts', 'npm run check:size, then npm run size:update'],
]

/** Lines of code are a price, not a limit: they are shown, and nothing fails for them. */
const LINES: [name: string, files: string, aim: number][] = [
  ['src', 'src', 41_600],
  ['shop and till', '{worker,template,src/shop,src/till}', 8_700],
  ['console', 'src/shop/console', 3_700],
  ['command line', 'src/cli', 6_900],
  ['emulator', 'src/emulator', 9_100],
  ['prove', 'src/testing/prove', 2_050],
  ['scripts', 'scripts', 1_700],
  ['tests', 'test', 44_698],
]

const linesOf = ([name, files, aim]: (typeof LINES)[number]): string => {
  const texts = globSync(`${files}/**/*.ts`, {
    cwd: root,
    exclude: ['**/node_modules', ...(name === 'shop and till' ? ['src/shop/console'] : [])],
  }).map((file) => readFileSync(join(root, file), 'utf8'))
  const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
  return `${name} ${lines.toLocaleString('en')} (${aim.toLocaleString('en')})`
}

let passed = 0
let failed = 0
// Two at a time: most checks use one core.
await Promise.all([SOURCES, BUILT].map(runChecks))
rmSync(folder, { recursive: true, force: true })
console.log(`lines of TypeScript, with what we aim at: ${LINES.map(linesOf).join(', ')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function runChecks(checks: readonly Check[]): Promise<void> {
  for (const [name, command, helps] of checks) {
    const started = Date.now()
    const { ok, output } = await run(command)
    if (ok) passed++
    else failed++
    console.log(`${ok ? 'passed' : 'FAILED'}  ${name} (${Math.round((Date.now() - started) / 1000)} s)`)
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
