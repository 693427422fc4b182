import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { root, run } from './support/pack.ts'

const folder = mkdtempSync(join(tmpdir(), 'edgetill-release-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PACKAGE = {
  name: 'edgetill',
  version: '1.2.3',
  repository: { type: 'git', url: 'git+https://github.com/owner/name.git' },
}
const READY = '## 1.2.3\n\n### Minor Changes\n\n- A change.\n'
/** What the release workflow's environment has. */
const CI = { GITHUB_REPOSITORY: 'owner/name', ACTIONS_ID_TOKEN_REQUEST_URL: 'https://ci.example/token' }

interface Tree {
  manifest?: object
  changelog?: string
  /** Whether a changeset waits for the next version. */
  changeset?: boolean
  tag?: string
  dirty?: boolean
  testsFail?: boolean
  /** Whether the commit is on the main branch. */
  merged?: boolean
  npm?: string
  env?: Record<string, string>
}

/** A checkout that can be released, with commands that note what they are called with instead of doing it. */
class Checkout {
  readonly path = mkdtempSync(join(folder, 'tree-'))
  readonly #calls = `${this.path}.calls`
  readonly #commands = `${this.path}.bin`
  readonly #env: Record<string, string>

  constructor(tree: Tree = {}) {
    const { manifest = PACKAGE, changelog = READY, tag = 'v1.2.3', merged = true, npm = '11.6.2', env = CI } = tree
    this.#env = env
    this.#write('package.json', JSON.stringify(manifest))
    this.#write('deno.json', '{\n  "version": "1.2.3",\n  "lib": ["deno"]\n}\n')
    this.#write('CHANGELOG.md', `# edgetill\n\n${changelog}`)
    this.#write('.changeset/README.md', 'How to write a changeset.\n')
    if (tree.changeset) this.#write('.changeset/new.md', '---\n"edgetill": minor\n---\n\nA change.\n')
    this.#write('.ci/run', `#!/bin/sh\necho tests >> "${this.#calls}"\nexit ${tree.testsFail ? 1 : 0}\n`, 0o755)
    cpSync(join(root, '.ci/release'), join(this.path, '.ci/release'))
    const pack = `[ "$1" != pack ] || touch "$4/edgetill-1.2.3.tgz"`
    this.#command('npm', `if [ "$1" = --version ]; then echo ${npm}; exit; fi`, pack)
    this.#command('deno')
    // What `changeset version` does to the manifest.
    this.#command('npx', '', `sed -i 's/"version":"1.2.3"/"version":"1.3.0"/' package.json`)
    writeFileSync(this.#calls, '')
    this.#git('init', '--quiet')
    this.#git('add', '.')
    this.#git('commit', '--quiet', '--message', 'All')
    this.#git('tag', tag)
    if (merged) this.#git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    if (tree.dirty) this.#write('left-over.txt', '')
  }

  read = (file: string) => readFileSync(join(this.path, file), 'utf8')

  /** What a release ends with, and which commands it called. */
  release(...words: string[]) {
    const { status, stdout, stderr } = this.#run(join(this.path, '.ci/release'), words)
    const calls = readFileSync(this.#calls, 'utf8')
      .replaceAll(/\/\S*\//g, '')
      .split('\n')
      .filter(Boolean)
    return { status, output: stdout + stderr, calls }
  }

  #command(name: string, before = '', after = ''): void {
    const text = `#!/bin/sh\n${before}\necho ${name} "$@" >> "${this.#calls}"\n${after}\n`
    write(join(this.#commands, name), text, 0o755)
  }

  #write(file: string, text: string, mode = 0o644): void {
    write(join(this.path, file), text, mode)
  }

  #git(...words: string[]): void {
    const { status, stderr } = this.#run('git', words)
    if (status !== 0) throw new Error(stderr)
  }

  #run(command: string, words: readonly string[]) {
    return spawnSync(command, words, {
      cwd: this.path,
      encoding: 'utf8',
      env: {
        ...process.env,
        GITHUB_REPOSITORY: '',
        ACTIONS_ID_TOKEN_REQUEST_URL: '',
        ...this.#env,
        PATH: [this.#commands, process.env.PATH].join(delimiter),
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@example.com',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@example.com',
      },
    })
  }
}

function write(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

const PACK = 'npm pack --silent --pack-destination'

describe('.ci/release', () => {
  it('publishes nothing unless it is asked to', () => {
    const { status, output, calls } = new Checkout({ env: {} }).release()
    expect(output).not.toContain('Before it can be published')
    expect(output).toMatch(/Would release 1\.2\.3\n$/)
    expect(status).toBe(0)
    expect(calls).toEqual([
      'tests',
      expect.stringContaining(PACK),
      'deno publish --dry-run',
      'npm publish edgetill-1.2.3.tgz --dry-run --access public',
    ])
  })

  it('publishes the very tarball that it packed, with provenance, and to JSR', () => {
    const { status, output, calls } = new Checkout().release('--publish')
    expect(output).toMatch(/Released 1\.2\.3\n$/)
    expect(status).toBe(0)
    expect(calls).toEqual([
      'tests',
      expect.stringContaining(PACK),
      'deno publish',
      'npm publish edgetill-1.2.3.tgz --provenance --access public',
    ])
  })

  const early: [string, Tree, RegExp][] = [
    ['a tree that is not clean', { dirty: true }, /not clean/],
    [
      'a CHANGELOG of another version',
      { changelog: READY.replace('1.2.3', '1.2.2') },
      /newest version .*1\.2\.2.*has 1\.2\.3/,
    ],
    ['a heading that is not a version', { changelog: READY.replace('1.2.3', 'Soon') }, /newest version .*## Soon"/],
  ]
  it.each(early)('refuses %s before anything else is done', (_, tree, reason) => {
    for (const words of [[], ['--publish']]) {
      const { status, output, calls } = new Checkout(tree).release(...words)
      expect(output).toMatch(reason)
      expect([status, calls]).toEqual([1, []])
    }
  })

  const SET = '"repository": { "type": "git", "url": "git+https://github.com/owner/name.git" }'
  const REPOSITORY = new RegExp(`repository[\\s\\S]*Set\\n {2}${SET.replaceAll(/[{}+.]/g, '\\$&')}`)
  const late: [string, Tree, RegExp][] = [
    ['a changeset without a release', { changeset: true }, /changesets without a release: run \.ci\/release --prepare/],
    ['what was never released', { changelog: '' }, /\.ci\/release --prepare/],
    [
      'a package with the placeholder of the owner',
      { manifest: { ...PACKAGE, bugs: 'https://github.com/OWNER-PLACEHOLDER/edgetill/issues' } },
      /placeholder OWNER-PLACEHOLDER .*Replace it by the owner of the repository \(owner\/name\)/,
    ],
    ['a package that names no repository', { manifest: { ...PACKAGE, repository: undefined } }, REPOSITORY],
    [
      'a package that names another repository',
      { manifest: { ...PACKAGE, repository: { type: 'git', url: 'git+https://github.com/other/name.git' } } },
      REPOSITORY,
    ],
    ['a commit without its tag', { tag: 'v1.2.2' }, /has no tag v1\.2\.3/],
    ['a commit that is not on main', { merged: false }, /not on origin\/main/],
  ]
  it.each(late)('does not publish %s, but tries it and says so', (_, tree, reason) => {
    const refused = new Checkout(tree).release('--publish')
    expect(refused.output).toMatch(reason)
    expect([refused.status, refused.calls]).toEqual([1, []])
    const tried = new Checkout(tree).release()
    expect(tried.output).toMatch(new RegExp(`Before it can be published:\\n[\\s\\S]*${reason.source}`))
    expect([tried.status, tried.calls.length]).toEqual([0, 4])
  })

  it('asks for the real owner and name where it does not know them', () => {
    const { output } = new Checkout({ manifest: { ...PACKAGE, repository: undefined }, env: {} }).release('--publish')
    expect(output).toContain('"url": "git+https://github.com/OWNER/NAME.git"')
  })

  const NOBODY: [string, Tree, RegExp][] = [
    ['where the build cannot be attested', { env: {} }, /publish from the release workflow/],
    ['with an npm that needs a token', { npm: '11.5.0' }, /npm 11\.5\.0 cannot publish without a token/],
  ]
  it.each(NOBODY)('does not publish %s', (_, tree, reason) => {
    const { status, output, calls } = new Checkout(tree).release('--publish')
    expect(output).toMatch(reason)
    expect([status, calls]).toEqual([1, []])
  })

  it('prepares a version: changesets choose it, the manifests get it, and nothing is committed or published', () => {
    const checkout = new Checkout({ changeset: true })
    const { status, output, calls } = checkout.release('--prepare')
    expect(output).toMatch(/commit it.*tag that commit v1\.3\.0/)
    expect(status).toBe(0)
    expect(calls).toEqual([
      'npx changeset version',
      'npm version 1.3.0 --no-git-tag-version --allow-same-version --ignore-scripts',
    ])
    expect(checkout.read('deno.json')).toBe('{\n  "version": "1.3.0",\n  "lib": ["deno"]\n}\n')
    expect(new Checkout({ dirty: true, changeset: true }).release('--prepare')).toMatchObject({ status: 1, calls: [] })
    const nothing = new Checkout().release('--prepare')
    expect(nothing).toMatchObject({ status: 1, calls: [], output: expect.stringContaining('there is no changeset') })
  })

  it('stops when a test fails', () => {
    const { status, output, calls } = new Checkout({ testsFail: true }).release('--publish')
    expect(output).toMatch(/something failed/)
    expect([status, calls]).toEqual([1, ['tests']])
  })

  it('knows no other option', () => {
    for (const words of [['--dry-run'], ['--publish', 'now'], ['--prepare', '1.3.0']]) {
      const { status, calls } = new Checkout().release(...words)
      expect([status, calls]).toEqual([2, []])
    }
  })
})

describe('the placeholder of the owner', () => {
  const text = readFileSync(join(root, 'package.json'), 'utf8')
  const { homepage, bugs, repository } = JSON.parse(text) as Record<string, string> & { repository: { url: string } }

  it('is one value: homepage, bugs and repository are on the same address', () => {
    const address = /^git\+(https:\/\/github\.com\/[^/]+\/edgetill)\.git$/.exec(repository.url)?.[1]
    expect([homepage, bugs]).toEqual([`${address}#readme`, `${address}/issues`])
  })

  // What a release looks through is this one file: a placeholder elsewhere would be published.
  it('stands in package.json alone', () => {
    const places = run('git', ['grep', '-lE', '[A-Z]+-PLACEHOLDER', '--', '.', ':!.ci/release', ':!test'], root)
    expect(places.trim().split('\n')).toEqual(['package.json'])
  })

  it('keeps a package from being published', () => {
    const manifest = { ...PACKAGE, homepage: 'https://github.com/OWNER-PLACEHOLDER/edgetill#readme' }
    const { status, output, calls } = new Checkout({ manifest }).release('--publish')
    expect(output).toContain('OWNER-PLACEHOLDER')
    expect([status, calls]).toEqual([1, []])
  })
})

describe('changesets', () => {
  it('are there for what was never released, and each one names the package', () => {
    const files = readdirSync(join(root, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md')
    const released = /^## /m.test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
    expect(released || files.length > 0).toBe(true)
    for (const file of files)
      expect(readFileSync(join(root, '.changeset', file), 'utf8')).toMatch(
        /^---\n("edgetill": (patch|minor|major)\n)?---\n\n?\S/,
      )
  })

  it('turn into the next version and its section of CHANGELOG.md', () => {
    const checkout = mkdtempSync(join(folder, 'changesets-'))
    for (const file of ['package.json', 'CHANGELOG.md', '.changeset'])
      cpSync(join(root, file), join(checkout, file), { recursive: true })
    writeFileSync(join(checkout, '.changeset/one.md'), '---\n"edgetill": minor\n---\n\nOne more call.\n')
    const before = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version
    run(join(root, 'node_modules/.bin/changeset'), ['version'], checkout)
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string }
    expect(version).not.toBe(before)
    const changelog = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8')
    expect(changelog).toMatch(new RegExp(`^# edgetill\n\n## ${version.replaceAll('.', '\\.')}\n`))
    expect(changelog).toContain('- One more call.')
    expect(readdirSync(join(checkout, '.changeset')).filter((file) => file !== 'README.md')).toEqual(['config.json'])
  })
})
