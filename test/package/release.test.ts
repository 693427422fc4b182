import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from './support/pack.ts'

const folder = mkdtempSync(join(tmpdir(), 'edgetill-release-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PACKAGE = { name: 'edgetill', version: '1.2.3', repository: 'https://git.example/edgetill' }

interface Tree {
  manifest?: object
  changelog?: string
  tag?: string
  dirty?: boolean
  testsFail?: boolean
}

/** A checkout that can be released, with commands that note what they are called with instead of doing it. */
class Checkout {
  readonly path = mkdtempSync(join(folder, 'tree-'))
  readonly #calls = `${this.path}.calls`
  readonly #commands = `${this.path}.bin`

  constructor(tree: Tree = {}) {
    const { manifest = PACKAGE, changelog = '## 1.2.3 (2026-11-21)\n\n- A change.\n', tag = 'v1.2.3' } = tree
    this.#write('package.json', JSON.stringify(manifest))
    this.#write('CHANGELOG.md', `# Changelog\n\n${changelog}`)
    this.#write('.ci/run', `#!/bin/sh\necho tests >> "${this.#calls}"\nexit ${tree.testsFail ? 1 : 0}\n`, 0o755)
    cpSync(join(root, '.ci/release'), join(this.path, '.ci/release'))
    for (const name of ['npm', 'deno']) write(join(this.#commands, name), this.#command(name), 0o755)
    writeFileSync(this.#calls, '')
    this.#git('init', '--quiet')
    this.#git('add', '.')
    this.#git('commit', '--quiet', '--message', 'All')
    this.#git('tag', tag)
    if (tree.dirty) this.#write('left-over.txt', '')
  }

  /** What a release ends with, and which commands it called. */
  release(...words: string[]) {
    const { status, stdout, stderr } = this.#run(join(this.path, '.ci/release'), words)
    const calls = readFileSync(this.#calls, 'utf8')
      .replaceAll(/\/\S*\//g, '')
      .split('\n')
      .filter(Boolean)
    return { status, output: stdout + stderr, calls }
  }

  #command(name: string): string {
    const pack = `if [ "$1" = pack ]; then touch "$4/edgetill-1.2.3.tgz"; fi`
    return `#!/bin/sh\necho ${name} "$@" >> "${this.#calls}"\n${name === 'npm' ? pack : ''}\n`
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
  it('publishes nothing unless it is told to', () => {
    const { status, output, calls } = new Checkout().release()
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
    ['a CHANGELOG of another version', { changelog: '## 1.2.2 (2026-11-20)\n\n- Old.\n' }, /begins with/],
    ['a CHANGELOG without a version', { changelog: '' }, /begins with/],
  ]
  it.each(early)('refuses %s before anything else is done', (_, tree, reason) => {
    for (const words of [[], ['--publish']]) {
      const { status, output, calls } = new Checkout(tree).release(...words)
      expect(output).toMatch(reason)
      expect([status, calls]).toEqual([1, []])
    }
  })

  const late: [string, Tree, RegExp][] = [
    ['a version without a date', { changelog: '## 1.2.3 (unreleased)\n\n- A change.\n' }, /its date/],
    ['a package that names no repository', { manifest: { ...PACKAGE, repository: undefined } }, /repository/],
    ['a commit without its tag', { tag: 'v1.2.2' }, /tag this commit v1\.2\.3/],
  ]
  it.each(late)('does not publish %s, but tries it', (_, tree, reason) => {
    const refused = new Checkout(tree).release('--publish')
    expect(refused.output).toMatch(reason)
    expect([refused.status, refused.calls]).toEqual([1, []])
    expect(new Checkout(tree).release().status).toBe(0)
  })

  it('stops when a test fails', () => {
    const { status, output, calls } = new Checkout({ testsFail: true }).release('--publish')
    expect(output).toMatch(/something failed/)
    expect([status, calls]).toEqual([1, ['tests']])
  })

  it('knows no other option', () => {
    for (const words of [['--dry-run'], ['--publish', 'now']]) {
      const { status, calls } = new Checkout().release(...words)
      expect([status, calls]).toEqual([2, []])
    }
  })
})
