// Vitest 5 needs Node 22, the package only Node 20: bundles the portable suite, leaving the package itself outside, and
// runs it there. Takes the option of Vitest's command line that says where the report goes.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { specifierOf } from '../../../scripts/entries.ts'
import { packedFolder, root } from '../support/pack.ts'
import { suiteFiles } from '../support/suite.ts'
import { nodeAt } from '../support/versions.ts'

const OPTION = '--outputFile.json='
const report = process.argv.find((word) => word.startsWith(OPTION))?.slice(OPTION.length)
if (report === undefined) throw new Error(`Say where the report goes: ${OPTION}FILE.`)

// Inside the packed folder, so that `edgetill` is found by Node itself, and by nothing else.
const folder = join(packedFolder(), 'suite')

const outside: Plugin = {
  name: 'package-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^vitest$/ }, () => ({ path: join(import.meta.dirname, 'vitest.ts') }))
    onResolve({ filter: /^\./ }, ({ path, importer }) => {
      const file = relative(root, resolve(dirname(importer), path))
      const specifier = specifierOf(file)
      if (specifier !== undefined) return { path: specifier, external: true }
      if (file.startsWith('src/')) throw new Error(`${relative(root, importer)} reaches ${file}, which is not exported`)
      return undefined
    })
  },
}

const files = suiteFiles()
await build({
  absWorkingDir: root,
  entryPoints: ['test/tarball/node-20/run.ts', ...files],
  outbase: root,
  outdir: folder,
  bundle: true,
  // One copy of the runner for all files.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'error',
  plugins: [outside],
})

interface Entry {
  name: string
  status: string
  message: string
  assertionResults: { status: string; fullName: string }[]
}

const runner = join(folder, 'test/tarball/node-20/run.js')
const entries: Entry[] = []
// To start a process and to load the runner takes longer than most files.
const FILES_OF_A_PROCESS = 10
const waiting = [...files]
await Promise.all(Array.from({ length: availableParallelism() }, work))

async function work(): Promise<void> {
  while (waiting.length > 0) entries.push(...(await runFiles(waiting.splice(0, FILES_OF_A_PROCESS))))
}

function runFiles(some: readonly string[]): Promise<Entry[]> {
  const bundled = some.map((file) => [join(root, file), join(folder, file.replace(/\.ts$/, '.js'))])
  const result = `${bundled[0]?.[1]}.json`
  const child = spawn(nodeAt(20), [runner, result, JSON.stringify(bundled)], { stdio: 'inherit' })
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => {
      if (existsSync(result)) return done(JSON.parse(readFileSync(result, 'utf8')) as Entry[])
      const message = `ended with ${code} and left no result`
      done(some.map((file) => ({ name: join(root, file), status: 'failed', message, assertionResults: [] })))
    })
  })
}

const count = (wanted: string) =>
  entries.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === wanted).length
const success = entries.every(({ status }) => status === 'passed')
writeFileSync(
  report,
  JSON.stringify({
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    success,
    testResults: entries,
  }),
)
process.exitCode = success ? 0 : 1
