import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { RUNTIMES, run } from './support/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'edgetill-command-init-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Names and contents, but for the secrets. */
const project = (at: string) =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file.slice(at.length), file.endsWith('.dev.vars') ? '' : readFileSync(file, 'utf8')])
    .sort()

describe.each(RUNTIMES)('edgetill init on %s', (runtime) => {
  it('writes the same project, once', async () => {
    const shop = join(folder, runtime, 'shop')
    const { code, stdout, stderr } = await run(runtime, ['init', shop])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.trimEnd().split('\n').slice(-4)).toEqual([
      `  cd ${shop}`,
      '  npm install',
      '  npm test',
      '  npm run dev',
    ])
    expect(project(shop)).toHaveLength(11)
    expect(project(shop)).toEqual(project(join(folder, RUNTIMES[0], 'shop')))
    expect(await run(runtime, ['init', shop])).toMatchObject({ code: 1, stderr: expect.stringContaining('exists') })
    expect((await run(runtime, ['init'])).code).toBe(2)
    expect(await run(runtime, ['init', ''])).toMatchObject({ code: 2, stderr: expect.stringContaining('empty') })
  }, 30_000)
})
