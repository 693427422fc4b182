import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type ts from 'typescript'
import { expect, it } from 'vitest'
import { verb as init } from '../../src/cli/commands/init.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { complaintsOf, optionsFor, programOf, SOURCE_PATHS } from './support/program.ts'
import { filesUnder, root } from './support/runtimes.ts'
import { runVerb } from './support/verb.ts'

// What `edgetill init --express`, `--next` and `--sveltekit` write. test/frameworks builds and plays it.
const SHARED = ['shop.test.mjs', 'shop.ts']
const textOf = (file: string) => readFileSync(join(root, 'template/starters', file), 'utf8')

function project(...files: string[]): string {
  const folder = temporaryFolder()
  for (const file of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), '')
  }
  return folder
}
it.each<[kind: string, before: string[], place: string, own: string[]]>([
  ['express', [], '.', ['.env.shop', '.gitignore', 'README.md', 'package.json', 'server.ts']],
  [
    'next',
    ['next.config.ts'],
    'shop',
    ['.env.local', 'SHOP.md', 'app/shop/[[...path]]/route.ts', 'app/webhooks/route.ts'],
  ],
  [
    'next',
    ['next.config.ts', 'src/app/page.tsx'],
    'src/shop',
    ['.env.local', 'SHOP.md', 'src/app/shop/[[...path]]/route.ts', 'src/app/webhooks/route.ts'],
  ],
  [
    'sveltekit',
    ['vite.config.ts'],
    'src/lib/server',
    [
      '.env.shop',
      'SHOP.md',
      'src/hooks.server.ts',
      'src/routes/shop/[...path]/+server.ts',
      'src/routes/webhooks/+server.ts',
    ],
  ],
])(
  'init --%s beside %j writes the same shop and its routes, and replaces no file',
  async (kind, before, place, own) => {
    const folder = project(...before)
    const ran = await runVerb(init, [folder, `--${kind}`])
    const shared = SHARED.map((file) => join(place, file))
    expect([ran.code, filesUnder(folder)]).toEqual([0, [...before, ...own, ...shared].sort()])
    expect(own.length + shared.length).toBeLessThanOrEqual(12)
    for (const file of SHARED) expect(readFileSync(join(folder, place, file), 'utf8')).toBe(textOf(`shared/${file}`))
    const readme = readFileSync(join(folder, own.includes('README.md') ? 'README.md' : 'SHOP.md'), 'utf8')
    for (const line of ran.out.split('\n').filter((one) => /^ {2}(node .*(server|dev)|npx (edgetill|next))/.test(one)))
      expect(readme).toContain(line.trim())
    // `next dev` hands the options of its Node to a child, where --env-file is not allowed.
    const [environment = '', isRun] = kind === 'next' ? ['.env.local', '  npx next dev'] : ['.env.shop', '--env-file=']
    expect([ran.out, readme.includes('.env.shop')]).toEqual([expect.stringContaining(isRun ?? ''), kind !== 'next'])
    expect(readFileSync(join(folder, environment), 'utf8')).toMatch(/^STAFF_PASSWORD=[\w-]{43}\n/)
    const again = await runVerb(init, [folder, `--${kind}`])
    expect([again.code === 0, filesUnder(folder)]).toEqual([false, [...before, ...own, ...shared].sort()])
  },
)

it('init --server writes the whole shop, with its own secrets, and replaces no file', async () => {
  const folder = join(project(), 'my-shop')
  const ran = await runVerb(init, [folder, '--server'])
  const own = ['server.ts', 'on-event.ts', 'start.ts', 'shop.test.ts', 'Dockerfile', 'compose.yaml']
  const made = ['.dockerignore', '.env', '.gitignore', 'README.md', 'package.json']
  expect([ran.code, filesUnder(folder)]).toEqual([0, [...own, ...made].sort()])
  for (const file of own) expect(readFileSync(join(folder, file), 'utf8')).toBe(textOf(`server/${file}`))
  const secrets = [...readFileSync(join(folder, '.env'), 'utf8').matchAll(/=([\w-]{43})$/gm)].map(([, one]) => one)
  expect(new Set(secrets).size).toBe(3)
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toMatch(/^# my-shop\n/)
  expect((await runVerb(init, [folder, '--server'])).code).not.toBe(0)
  // The image holds the shop, and nothing of this machine.
  expect(textOf('server/Dockerfile')).toMatch(/COPY server\.ts on-event\.ts/)
})

it('names the tool that makes the project first, and takes one framework', async () => {
  const folder = project()
  for (const [words, text] of [
    [['--next'], 'create-next-app --ts'],
    [['--sveltekit'], 'sv create'],
    [['--next', '--express'], 'Choose one of --express and --next'],
  ] as const) {
    const ran = await runVerb(init, [folder, ...words])
    expect([ran.code, ran.err, filesUnder(folder)]).toEqual([2, expect.stringContaining(text), []])
  }
})

it('has types in a strict program, with older types of Node too', () => {
  const files = new Map([
    [join(root, 'test/starter/shop.ts'), textOf('shared/shop.ts')],
    [join(root, 'test/starter/server.ts'), textOf('express/server.ts')],
  ])
  const options: ts.CompilerOptions = {
    ...optionsFor('bundler', ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']),
    ...{ types: ['node'], paths: SOURCE_PATHS, allowImportingTsExtensions: true, skipLibCheck: true },
  }
  const program = programOf(files, options)
  expect([...files.keys()].flatMap((name) => complaintsOf(program, name))).toEqual([])
  expect(textOf('shared/shop.ts')).not.toMatch(/from 'node:sqlite'/)
}, 60_000)
