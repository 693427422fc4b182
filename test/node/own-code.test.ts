import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/entries.ts'
import { writeProject } from '../../src/cli/commands/write-project.ts'
import { startCommand } from './support/process.ts'
import { complaintsOf, programOf, writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

// guides/own-code.md in a project of `init`.
const GUIDE = 'guides/own-code.md'
const [migration = ''] = blocks(GUIDE, 'text').map(({ code }) => code)
const [bindings = ''] = blocks(GUIDE, 'toml').map(({ code }) => code)
const FILES = new Map(
  blocks(GUIDE, 'typescript').map(({ code }): [string, string] => [/^\/\/ (\S+)\n/.exec(code)?.[1] ?? '', code]),
)

const project = mkdtempSync(join(tmpdir(), 'edgetill-own-code-'))
afterAll(() => rmSync(project, { recursive: true, force: true }))
const put = (file: string, text: string) => {
  mkdirSync(dirname(join(project, file)), { recursive: true })
  writeFileSync(join(project, file), text)
}

beforeAll(async () => {
  await writeProject(project, 'shop')
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  for (const [file, code] of FILES) put(file, code)
  put('migrations/0001_payment.sql', migration)
  put('wrangler.toml', readFileSync(join(project, 'wrangler.toml'), 'utf8') + bindings)
})

it('compiles there, in the strict setting of the project', { timeout: 60_000 }, () => {
  expect([...FILES.keys()]).toEqual(['worker/env.ts', 'worker/on-event.ts', 'worker/index.ts', 'test/shop.test.ts'])
  const { config } = ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, project)
  const paths = Object.fromEntries(ENTRIES.map(({ specifier, source }) => [specifier, [join(root, source)]]))
  const files = new Map([...FILES].map(([file, code]) => [join(project, file), code]))
  const program = programOf(files, { ...options, paths }, project)
  expect([...files.keys()].flatMap((file) => complaintsOf(program, file))).toEqual([])
})

it('passes its own test: a row in D1, and a route that asks for its token', { timeout: 60_000 }, async () => {
  const bundle = join(project, 'shop.test.mjs')
  await writeProgram(readFileSync(join(project, 'test/shop.test.ts'), 'utf8'), bundle, join(project, 'test'), [])
  const { code, output } = await startCommand(join(root, 'node_modules/.bin/node'), ['--test', bundle], {
    cwd: project,
  }).finished
  expect([code, output]).toEqual([0, expect.stringContaining('pass 1')])
})
