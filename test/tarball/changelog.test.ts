import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { RELEASED, sectionsOf, UNRELEASED } from './support/changelog.ts'
import { root } from './support/pack.ts'

describe('CHANGELOG.md', () => {
  const [first, ...released] = sectionsOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

  it('begins with what is unreleased', () => {
    expect(first?.heading).toBe(UNRELEASED)
  })

  it("goes on with the package's version, unless nothing was released yet", () => {
    const newest = released.map(({ heading }) => RELEASED.exec(heading)?.[1])[0]
    expect(newest ?? 'none').toBe(existsSync(join(root, 'test/tarball/api.released.md')) ? version : 'none')
  })

  it('gives every version a date and at least one entry, from the newest to the oldest', () => {
    for (const { heading, lines } of released) {
      expect(heading).toMatch(RELEASED)
      expect([heading, lines.some((line) => line.startsWith('- '))]).toEqual([heading, true])
    }
    const order = released.map(({ heading }) => (RELEASED.exec(heading)?.[1] ?? '').split('.').map(Number))
    const sorted = order.toSorted((a, b) => {
      const at = a.findIndex((part, index) => part !== b[index])
      return at < 0 ? 0 : (b[at] ?? 0) - (a[at] ?? 0)
    })
    expect(order).toEqual(sorted)
    expect(new Set(order.map(String)).size).toBe(order.length)
  })
})

const folder = mkdtempSync(join(tmpdir(), 'edgetill-changelog-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const apiOf = (...declared: string[]) => `# The public API\n\n## edgetill\n\n\`\`\`ts\n${declared.join('\n')}\n\`\`\`\n`
const PAY = 'function pay(amount: number): void;'
const MANIFEST = {
  name: 'edgetill',
  scripts: { test: 'a' },
  engines: { node: '>=20' },
  exports: { '.': './dist/index.js' },
  bin: { edgetill: './dist/cli.js' },
  files: ['dist'],
  dependencies: { hono: '1.0.0' },
  devDependencies: { tsup: '1.0.0' },
}
const RELEASE = '## [1.0.0] - 2026-11-20\n\n- The beginning: `pay`.\n'
const changelog = (unreleased: string, released = RELEASE) =>
  `# Changelog\n\n${UNRELEASED}\n\n${unreleased}\n${released}`

/** A repository after its release 1.0.0. */
class Repository {
  readonly path: string

  constructor(path = mkdtempSync(join(folder, 'repository-'))) {
    this.path = path
    this.git('init', '--quiet', '--initial-branch=main')
    this.write('CHANGELOG.md', changelog(''))
    this.write('package.json', JSON.stringify(MANIFEST))
    this.write('src/index.ts', '1\n')
    this.write('src/old.ts', '1\n')
    this.write('worker/app.ts', '1\n')
    this.write('worker/README.md', '1\n')
    this.write('README.md', '1\n')
    this.write('test/tarball/api.md', apiOf(PAY))
    this.write('test/tarball/api.released.md', apiOf(PAY).replace('API', 'API of 1.0.0'))
    this.commit()
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true })
    writeFileSync(join(this.path, file), text)
  }

  remove = (file: string) => rmSync(join(this.path, file))
  read = (file: string) => readFileSync(join(this.path, file), 'utf8')

  commit(): string {
    this.git('add', '.')
    this.git('commit', '--quiet', '--allow-empty', '--message', 'A change')
    return this.git('rev-parse', 'HEAD').trim()
  }

  git(...words: string[]): string {
    const { status, stdout, stderr } = this.#run('git', words)
    if (status !== 0) throw new Error(stderr)
    return stdout
  }

  /** What the check says and ends with. */
  check(...words: string[]): { status: number | null; output: string } {
    const { status, stdout, stderr } = this.#run(process.execPath, [join(root, 'scripts/changelog.ts'), ...words])
    return { status, output: stdout + stderr }
  }

  #run(command: string, words: readonly string[]) {
    return spawnSync(command, words, {
      cwd: this.path,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CEILING_DIRECTORIES: folder,
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@example.com',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@example.com',
      },
    })
  }
}

type Change = (repository: Repository) => void
const manifest =
  (change: object): Change =>
  (repository) =>
    repository.write('package.json', JSON.stringify({ ...MANIFEST, ...change }))

const PUBLISHED: [what: string, Change, named: string][] = [
  ['src', (repository) => repository.write('src/index.ts', '2\n'), 'src/index.ts'],
  ['a new file of src', (repository) => repository.write('src/new.ts', '1\n'), 'src/new.ts'],
  ['a file of src that is gone', (repository) => repository.remove('src/old.ts'), 'src/old.ts'],
  ['the template', (repository) => repository.write('worker/app.ts', '2\n'), 'worker/app.ts'],
  ['the build', (repository) => repository.write('tsup.config.ts', '2\n'), 'tsup.config.ts'],
  ['what JSR gets', (repository) => repository.write('deno.json', '{"exports":{}}'), 'deno.json (exports)'],
  ['a dependency', manifest({ dependencies: { hono: '1.0.1' } }), 'package.json (dependencies)'],
  ['a dependency that is gone', manifest({ dependencies: undefined }), 'package.json (dependencies)'],
  ['the exports', manifest({ exports: { '.': './dist/main.js' } }), 'package.json (exports)'],
  ['the command', manifest({ bin: {} }), 'package.json (bin)'],
  ['the files', manifest({ files: ['dist', 'src'] }), 'package.json (files)'],
  ['the oldest Node', manifest({ engines: { node: '>=22' } }), 'package.json (engines)'],
]
const OTHER: [what: string, Change][] = [
  ['nothing', () => {}],
  ['documents', (repository) => ['README.md', 'worker/README.md'].map((file) => repository.write(file, '2\n'))],
  ['a test', (repository) => repository.write('test/a.test.ts', '2\n')],
  ['a script', manifest({ scripts: { test: 'b' } })],
  ['a tool', manifest({ devDependencies: { tsup: '2.0.0' } })],
]
const NO_LINE = /has no new line under "## \[Unreleased\]", but what is published changed/

describe('a change since a commit', () => {
  it.each(PUBLISHED)('of %s needs an entry', (_, change, named) => {
    const repository = new Repository()
    const base = repository.git('rev-parse', 'HEAD').trim()
    change(repository)
    const wanted = { status: 1, output: expect.stringMatching(NO_LINE) }
    expect(repository.check(base)).toEqual(wanted)
    repository.commit()
    const { status, output } = repository.check(base)
    expect(status).toBe(1)
    expect(output.split('\n').filter((line) => line.startsWith('  '))).toEqual([`  ${named}`])

    repository.write('CHANGELOG.md', changelog('- What it means.\n'))
    expect(repository.check(base)).toEqual({ status: 0, output: expect.stringContaining('1 new lines') })
  })

  it.each(OTHER)('of %s needs none', (_, change) => {
    const repository = new Repository()
    const base = repository.git('rev-parse', 'HEAD').trim()
    change(repository)
    repository.git('add', '.')
    expect(repository.check(base)).toEqual({ status: 0, output: expect.stringContaining('0 published files changed') })
  })

  const NO_ENTRY: [what: string, before: string, after: string][] = [
    ['of an older change', '- Older.\n', '- Older.\n'],
    ['that was moved', '', '- The beginning: `pay`.\n'],
    ['without a word', '', '\n### Added\n'],
  ]
  it.each(NO_ENTRY)('is not told by a line %s', (_, before, after) => {
    const repository = new Repository()
    repository.write('CHANGELOG.md', changelog(before))
    const base = repository.commit()
    repository.write('src/index.ts', '2\n')
    repository.write('CHANGELOG.md', changelog(after, after.includes('pay') ? RELEASE.replace('`pay`', 'x') : RELEASE))
    expect(repository.check(base)).toEqual({ status: 1, output: expect.stringMatching(NO_LINE) })
  })

  it('is not told by a line under a version that was released before it', () => {
    const repository = new Repository()
    const base = repository.git('rev-parse', 'HEAD').trim()
    repository.write('src/index.ts', '2\n')
    repository.write('CHANGELOG.md', changelog('', `${RELEASE}- Late.\n`))
    expect(repository.check(base)).toEqual({ status: 1, output: expect.stringMatching(NO_LINE) })
  })

  it('is told by the version that was released with it', () => {
    const repository = new Repository()
    const base = repository.git('rev-parse', 'HEAD').trim()
    repository.write('src/index.ts', '2\n')
    repository.write('CHANGELOG.md', changelog('- What it means.\n'))
    expect(repository.check('--release', '1.0.1').status).toBe(0)
    repository.commit()
    expect(repository.check(base)).toEqual({ status: 0, output: expect.stringContaining('1 new lines') })
  })

  it('counts from where a branch left its base', () => {
    const repository = new Repository()
    repository.git('switch', '--quiet', '--create', 'branch')
    repository.write('README.md', '2\n')
    repository.commit()
    repository.git('switch', '--quiet', 'main')
    repository.write('src/index.ts', '2\n')
    const base = repository.commit()
    repository.git('switch', '--quiet', 'branch')
    expect(repository.check(base)).toEqual({ status: 0, output: expect.stringContaining('0 published files changed') })
  })

  it.each(['0'.repeat(40), ''])('goes by the last release when the push tells "%s"', (base) => {
    const repository = new Repository()
    repository.git('tag', 'v1.0.0')
    repository.write('src/index.ts', '2\n')
    repository.commit()
    const wanted = { status: 1, output: expect.stringMatching(/changed since v1\.0\.0:\n {2}src\/index\.ts\n/) }
    expect(repository.check(base)).toEqual(wanted)
    expect(repository.check()).toEqual(wanted)
  })

  it('cannot be told of a commit that is not here', () => {
    const repository = new Repository()
    const { status, output } = repository.check('1'.repeat(40))
    expect(output).toMatch(/is not a commit in this clone; fetch the whole history/)
    expect(status).toBe(1)
    repository.git('switch', '--quiet', '--orphan', 'other')
    repository.write('a', '')
    repository.commit()
    const other = repository.git('rev-parse', 'HEAD').trim()
    repository.git('switch', '--quiet', 'main')
    expect(repository.check(other)).toEqual({ status: 1, output: expect.stringMatching(/no history in common/) })
  })
})

describe('a change of the API', () => {
  const CHANGES: [what: string, api: string, name: string][] = [
    ['added', apiOf(PAY, 'function refund(): void;'), 'refund'],
    ['changed', apiOf('function pay(amount: number, to?: string): void;'), 'pay'],
    ['changed', apiOf(PAY, 'function pay(amount: string): void;'), 'pay'],
    ['removed', apiOf('interface Money {\n    amount: number;\n}').replace('interface Money', '// Money'), 'pay'],
  ]
  it.each(CHANGES)('%s since the last release has to be named, without any history', (what, api, name) => {
    const repository = new Repository()
    repository.remove('.git/HEAD')
    repository.write('test/tarball/api.md', api)
    repository.write('CHANGELOG.md', changelog(`- A ${name} in prose, and \`a${name}\`.\n`))
    const { status, output } = repository.check()
    expect(output).toContain(`  ${name} of edgetill: ${what} since 1.0.0\n`)
    expect(status).toBe(1)
    repository.write('CHANGELOG.md', changelog(`- What \`client.${name}()\` is now.\n`))
    expect(repository.check()).toEqual({ status: 0, output: expect.stringContaining('No tag of a release is here') })
  })

  it('is seen in a shallow clone without tags', () => {
    const origin = new Repository()
    origin.git('tag', 'v1.0.0')
    origin.write('test/tarball/api.md', apiOf(PAY, 'function refund(): void;'))
    origin.commit()
    const path = mkdtempSync(join(folder, 'clone-'))
    origin.git('clone', '--quiet', '--depth=1', '--no-tags', pathToFileURL(origin.path).href, path)
    const check = spawnSync(process.execPath, [join(root, 'scripts/changelog.ts')], { cwd: path, encoding: 'utf8' })
    expect([check.status, check.stderr]).toEqual([
      1,
      expect.stringContaining('  refund of edgetill: added since 1.0.0'),
    ])
  })

  it('before the first release is everything', () => {
    const repository = new Repository()
    repository.remove('test/tarball/api.released.md')
    repository.write('CHANGELOG.md', changelog('- The beginning.\n', ''))
    const { status, output } = repository.check()
    expect(output).toContain('  pay of edgetill: added since the beginning\n')
    expect(status).toBe(1)
    repository.write('CHANGELOG.md', changelog('- `pay`\n', ''))
    expect(repository.check().status).toBe(0)
    repository.write('test/tarball/api.md', '')
    expect(repository.check()).toEqual({ status: 1, output: expect.stringContaining('names nothing') })
  })

  it('cannot hide behind an API document of another release, or behind none', () => {
    const repository = new Repository()
    repository.write('CHANGELOG.md', changelog('', RELEASE.replace('1.0.0', '0.9.0')))
    expect(repository.check()).toEqual({ status: 1, output: expect.stringMatching(/0\.9\.0.*1\.0\.0/) })
    repository.write('CHANGELOG.md', changelog(''))
    repository.remove('test/tarball/api.released.md')
    expect(repository.check()).toEqual({ status: 1, output: expect.stringMatching(/1\.0\.0.*none/) })
  })
})

describe('a release', () => {
  it('moves what is unreleased under its version, and the API of it is the released one', () => {
    const repository = new Repository()
    const api = apiOf(PAY, 'function refund(): void;')
    repository.write('test/tarball/api.md', api)
    repository.write('CHANGELOG.md', changelog('### Added\n\n- `refund`\n'))
    expect(repository.check('--release', '1.1.0')).toEqual({ status: 0, output: '' })
    const [unreleased, ...released] = sectionsOf(repository.read('CHANGELOG.md'))
    expect([unreleased?.heading, unreleased?.lines]).toEqual([UNRELEASED, []])
    expect(released.map(({ heading }) => RELEASED.exec(heading)?.[1])).toEqual(['1.1.0', '1.0.0'])
    expect(released.map(({ lines }) => lines)).toEqual([['- `refund`'], ['- The beginning: `pay`.']])
    expect(repository.read('test/tarball/api.released.md')).toBe(api.replace('API', 'API of 1.1.0'))
    expect(repository.check()).toEqual({ status: 0, output: expect.stringContaining('0 names') })
  })

  it('is refused without an entry, twice, with an API that nothing was said about, and as what is no version', () => {
    const repository = new Repository()
    expect(repository.check('--release', '1.1.0')).toEqual({ status: 1, output: expect.stringMatching(/says nothing/) })
    repository.write('CHANGELOG.md', changelog('- Something.\n'))
    expect(repository.check('--release', '1.0.0')).toEqual({ status: 1, output: expect.stringMatching(/has 1\.0\.0/) })
    expect(repository.check('--release', 'v1.1')).toEqual({ status: 1, output: expect.stringMatching(/not a version/) })
    repository.write('test/tarball/api.md', apiOf(PAY, 'function refund(): void;'))
    expect(repository.check('--release', '1.1.0')).toEqual({
      status: 1,
      output: expect.stringMatching(/ {2}refund of/),
    })
    expect(repository.git('status', '--porcelain')).toBe(' M CHANGELOG.md\n M test/tarball/api.md\n')
  })

  it('and a check are asked for as the usage says', () => {
    for (const words of [['--release'], ['--relase', '1.1.0'], ['HEAD', 'HEAD']])
      expect(new Repository().check(...words)).toEqual({ status: 2, output: expect.stringMatching(/^Usage/) })
  })
})
