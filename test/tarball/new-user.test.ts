import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Document } from '../node/support/document.ts'
import { blocks } from '../node/support/snippets.ts'
import { packedFolder, run, versionsOf } from './support/pack.ts'

// A new user installs the tarball into an empty folder, copies the test of the README, and runs it.

const folder = join(packedFolder(), 'new-user')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const readme = new Document('README.md').program('Test a checkout')
const guide = new Document('guides/testing.md').program('A checkout under node:test and Deno')

it.each([
  ['bun test', readme.replace("'vitest'", "'bun:test'")],
  ['node --test', guide],
  ['deno test --no-prompt --no-check', guide],
])('%s passes the test of a paid order, as it is in the documents', (command, code) => {
  writeFileSync(join(folder, 'checkout.test.ts'), code)
  const [program = '', ...words] = command.split(' ')
  // It throws what was printed when the runner does not end with 0.
  const printed = run(program, [...words, 'checkout.test.ts'], folder)
  if (program !== 'bun') expect(printed).toMatch(/a customer pays/)
})

// workflows.test.ts runs its build.
it('the container of guides/ci.md gets one file of the command, and what the build needs', () => {
  const [{ code = '' } = {}] = blocks('guides/ci.md', 'dockerfile')
  const [, stage = '', added = ''] =
    /^FROM \S+ AS (\S+)\nWORKDIR \/build\nRUN bun add (.+) && bun build .+$/m.exec(code) ?? []
  // Besides edgetill, what is not installed with it.
  const names = versionsOf('newest').map(([name]) => name)
  expect(names).toEqual(expect.arrayContaining(added.split(' ').filter((name) => name !== 'edgetill')))
  expect(added.split(' ')).toContain('hono')
  expect(code).toContain(`COPY --from=${stage} /build/edgetill `)
  expect(code).toContain('ENTRYPOINT ["edgetill", "prove"]')
})
