import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../node/support/fixtures.ts'
import { root, run } from './support/pack.ts'

const folder = temporaryFolder()

const PACKAGE = { name: 'edgetill', version: '1.2.3' }
const READY = '## 1.2.3\n\n### Minor Changes\n\n- A change.\n'
/** The environment of the release workflow. */
const CI = { OWNER: 'owner', GITHUB_REPOSITORY: 'owner/edgetill', ACTIONS_ID_TOKEN_REQUEST_URL: 'https://ci.example/t' }

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
    cpSync(join(root, '.changeset/config.json'), join(this.path, '.changeset/config.json'))
    if (tree.changeset) this.#write('.changeset/new.md', '---\n"edgetill": minor\n---\n\nA change.\n')
    this.#write('.ci/run', `#!/bin/sh\necho tests >> "${this.#calls}"\nexit ${tree.testsFail ? 1 : 0}\n`, 0o755)
    cpSync(join(root, '.ci/release'), join(this.path, '.ci/release'))
    const pack = `[ "$1" != pack ] || { touch "$4/edgetill-1.2.3.tgz"; cp package.json "${this.path}.packed"; }`
    this.#command('npm', `if [ "$1" = --version ]; then echo ${npm}; exit; fi`, pack)
    this.#command('deno')
    this.#command('npx', '', `"${root}/node_modules/.bin/$1" "$2"`)
    writeFileSync(this.#calls, '')
    this.#git('init', '--quiet')
    this.#git('add', '.')
    this.#git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'All')
    this.#git('tag', tag)
    if (merged) this.#git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    if (tree.dirty) this.#write('left-over.txt', '')
  }

  /** The manifest that was packed. */
  packed = (): unknown => JSON.parse(readFileSync(`${this.path}.packed`, 'utf8'))

  read = (file: string) => readFileSync(join(this.path, file), 'utf8')

  /** The end of a release, and the commands that it called. */
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
        OWNER: '',
        GITHUB_REPOSITORY: '',
        ACTIONS_ID_TOKEN_REQUEST_URL: '',
        ...this.#env,
        PATH: [this.#commands, process.env.PATH].join(delimiter),
        GIT_CONFIG_GLOBAL: '/dev/null',
      },
    })
  }
}

function write(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

describe('.ci/release', () => {
  it.each<[words: string[], env: Record<string, string>, npm: string, deno: string, end: RegExp]>([
    [
      [],
      { OWNER: 'owner' },
      '--dry-run',
      'deno publish --dry-run',
      /^(?![\s\S]*Before it can be)[\s\S]*Would release 1\.2\.3\n$/,
    ],
    [['--publish'], CI, '--provenance', 'deno publish', /Released 1\.2\.3\n$/],
  ])('%j tests, packs, and publishes that very tarball only when it is asked to', (words, env, npm, deno, end) => {
    const { status, output, calls } = new Checkout({ env }).release(...words)
    expect([status, output]).toEqual([0, expect.stringMatching(end)])
    const pack = expect.stringContaining('npm pack --silent --pack-destination')
    expect(calls).toEqual(['tests', pack, deno, `npm publish edgetill-1.2.3.tgz ${npm} --access public`])
  })

  it.each<[what: string, tree: Tree, reason: RegExp]>([
    ['a tree that is not clean', { dirty: true }, /not clean/],
    ['a CHANGELOG of another version', { changelog: '## 1.2.2\n' }, /newest version .*1\.2\.2.*has 1\.2\.3/],
    ['a changeset without a release', { changeset: true }, /changesets without a release: run \.ci\/release --prepare/],
    ['what was never released', { changelog: '' }, /\.ci\/release --prepare/],
    [
      'the placeholder of the owner',
      { env: { ...CI, OWNER: 'OWNER-PLACEHOLDER' } },
      /OWNER in .*release\.yml is OWNER-PLACEH/,
    ],
    ['what has no owner', { env: { ...CI, OWNER: '' } }, /OWNER in .*release\.yml is OWNER-PLACEHOLDER\. Replace it/],
    ['another repository', { env: { ...CI, OWNER: 'a' } }, /names a\/edgetill, but this is owner\/edgetill/],
    ['a commit without its tag', { tag: 'v1.2.2' }, /has no tag v1\.2\.3/],
    ['a commit that is not on main', { merged: false }, /not on origin\/main/],
    ['a build that cannot be attested', { env: { OWNER: 'owner' } }, /publish from the release workflow/],
    ['an npm that needs a token', { npm: '11.5.0' }, /npm 11\.5\.0 cannot publish without a token/],
    ['what the tests reject', { testsFail: true }, /something failed/],
  ])('does not publish %s', (_, tree, reason) => {
    const { status, output, calls } = new Checkout(tree).release('--publish')
    expect([status, output, calls]).toEqual([1, expect.stringMatching(reason), tree.testsFail ? ['tests'] : []])
  })

  it('says without --publish what would keep it from being published, and goes on', () => {
    const { status, output, calls } = new Checkout({ merged: false, tag: 'v1.2.2' }).release()
    expect(output).toMatch(/Before it can be published:\nThis commit has no tag.*\nThis commit is not on origin\/main/)
    expect([status, calls.length]).toEqual([0, 4])
  })

  it('prepares a version: changesets choose it and write its changes, the manifests get it, and nothing is published', () => {
    const checkout = new Checkout({ changeset: true })
    const { status, output, calls } = checkout.release('--prepare')
    expect([status, output]).toEqual([0, expect.stringMatching(/commit it.*tag that commit v1\.3\.0/)])
    expect(calls).toEqual([
      'npx changeset version',
      'npm version 1.3.0 --no-git-tag-version --allow-same-version --ignore-scripts',
    ])
    expect(checkout.read('deno.json')).toBe('{\n  "version": "1.3.0",\n  "lib": ["deno"]\n}\n')
    expect(checkout.read('CHANGELOG.md')).toMatch(
      /^# edgetill\n\n## 1\.3\.0\n[^#]+### Minor Changes\n\n- .*A change\.\n\n## 1\.2\.3\n/,
    )
    expect(readdirSync(join(checkout.path, '.changeset'))).toEqual(['config.json'])
    const nothing = new Checkout().release('--prepare')
    expect(nothing).toMatchObject({ status: 1, calls: [], output: expect.stringContaining('there is no changeset') })
  })

  it('knows no other option', () => {
    const checkout = new Checkout()
    for (const words of [['--dry-run'], ['--publish', 'now']])
      expect(checkout.release(...words)).toMatchObject({ status: 2, calls: [] })
  })
})

it('packs the addresses of the repository, and leaves the checkout as it is', () => {
  const checkout = new Checkout({ env: CI })
  expect(checkout.release('--publish').status).toBe(0)
  expect(checkout.packed()).toEqual({
    ...PACKAGE,
    homepage: 'https://github.com/owner/edgetill#readme',
    bugs: 'https://github.com/owner/edgetill/issues',
    repository: { type: 'git', url: 'git+https://github.com/owner/edgetill.git' },
  })
  expect(JSON.parse(checkout.read('package.json'))).toEqual(PACKAGE)
})

it('the placeholder of the owner is one variable of the release workflow, and stands nowhere else', () => {
  const places = run('git', ['grep', '-E', '[A-Z]+-PLACEHOLDER', '--', '.', ':!.ci/release', ':!test'], root)
  expect(places).toBe('.github/workflows/release.yml:  OWNER: OWNER-PLACEHOLDER\n')
})

it('every relative link of the README leads to a file of the repository, where npm looks for it', () => {
  const files = new Set(run('git', ['ls-files'], root).split('\n'))
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) => to)
  expect(links.length).toBeGreaterThan(30)
  expect(links.filter((to) => !files.has(to))).toEqual([])
})
