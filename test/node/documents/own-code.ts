import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { writeProject } from '../../../src/cli/commands/write-project.ts'
import { temporaryFolder } from '../support/fixtures.ts'
import { startCommand } from '../support/process.ts'
import { complaintsOf, programOf, SOURCE_PATHS, writeProgram } from '../support/program.ts'
import { root } from '../support/runtimes.ts'
import { blocks } from '../support/snippets.ts'

export default function tests(): void {
  it('guides/own-code.md: compiles in a project of init, and passes its own test there', {
    timeout: 120_000,
  }, async () => {
    const project = temporaryFolder()
    const put = (file: string, text: string) => {
      mkdirSync(dirname(join(project, file)), { recursive: true })
      writeFileSync(join(project, file), text)
      return join(project, file)
    }
    await writeProject(project, 'shop')
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
    const [migration = ''] = blocks('guides/own-code.md', 'text').map(({ code }) => code)
    put('migrations/0001_payment.sql', migration)
    const written = blocks('guides/own-code.md', 'typescript').map(({ code }): [string, string] => {
      return [put(/^\/\/ (\S+)\n/.exec(code)?.[1] ?? '', code), code]
    })
    const { config } = ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile)
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, project)
    const program = programOf(new Map(written), { ...options, paths: SOURCE_PATHS }, project)
    expect(written.flatMap(([file]) => complaintsOf(program, file))).toEqual([])
    const [file = '', code = ''] = written.at(-1) ?? []
    const bundle = await writeProgram(code, join(project, 'shop.test.mjs'), dirname(file), [])
    const node = join(root, 'node_modules/.bin/node')
    const ran = await startCommand(node, ['--test', bundle], { cwd: project }).finished
    expect(ran).toEqual({ code: 0, output: expect.stringContaining('pass 2') })
  })
}
