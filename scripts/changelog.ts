// A CHANGELOG entry for each change. `node scripts/changelog.ts [BASE]` fails when
// - what is published changed since the commit BASE, and CHANGELOG.md has no new line. Without BASE: since the last release's tag;
// - a name of the public API was added, changed or removed since the last release, and CHANGELOG.md does not name it under
//   "Unreleased". This needs no history: test/tarball/api.released.md is the API of the last release, and without that
//   file nothing was released yet and every name is new.
// `node scripts/changelog.ts --release VERSION` moves what is unreleased under VERSION. Nothing but Node and git is needed.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import {
  apiChanges,
  moveUnreleased,
  namedIn,
  newLines,
  RELEASED,
  releasedApi,
  sectionsOf,
  UNRELEASED,
  unreleasedLines,
  versionOf,
} from '../test/tarball/support/changelog.ts'

const CHANGELOG = 'CHANGELOG.md'
const API = 'test/tarball/api.md'
const RELEASED_API = 'test/tarball/api.released.md'

/** What is published: the sources of the package and of the template, and what they are built with. */
const PUBLISHED = ['src', 'worker', 'wrangler.toml', 'tsup.config.ts']
/** The fields that a user of the package, here or on JSR, has something of. */
const FIELDS: Record<string, string[]> = {
  'package.json': [
    ...['name', 'type', 'sideEffects', 'engines', 'exports', 'bin', 'files'],
    ...['dependencies', 'peerDependencies', 'optionalDependencies'],
  ],
  'deno.json': ['name', 'exports', 'imports', 'publish'],
}

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
const list = (lines: readonly string[]) => lines.map((line) => `  ${line}`).join('\n')

class Refused extends Error {}

function git(...words: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' })
  return status === 0 ? stdout : undefined
}

/** Fails for the names of the API that changed since the last release without being named. */
function checkApi(): string {
  const released = read(RELEASED_API)
  const last = sectionsOf(read(CHANGELOG)).find(({ heading }) => heading !== UNRELEASED)
  const version = last && (RELEASED.exec(last.heading)?.[1] ?? last.heading)
  if (versionOf(released) !== version) {
    throw new Refused(
      `The newest release of ${CHANGELOG} is ${version ?? 'none'}, that of ${RELEASED_API} is ${versionOf(released) ?? 'none'}.`,
    )
  }
  const changes = apiChanges(released, read(API))
  if (released === '' && changes.length === 0) throw new Refused(`${API} names nothing.`)
  const named = namedIn(unreleasedLines(read(CHANGELOG)))
  const missing = changes.filter(({ name }) => !named.has(name))
  if (missing.length > 0) {
    throw new Refused(
      `Under "${UNRELEASED}", ${CHANGELOG} does not name, in backquotes, these names of the public API:\n${list(
        missing.map(({ entry, name, change }) => `${name} of ${entry}: ${change} since ${version ?? 'the beginning'}`),
      )}`,
    )
  }
  return `${changes.length} names of the API are new, changed or gone since ${version ?? 'the beginning'}, and ${CHANGELOG} names them.`
}

/** Fails when what is published changed since a commit and no line was written about it. */
function checkSince(base: string): string {
  const commit = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`)?.trim()
  const fork = commit && git('merge-base', commit, 'HEAD')?.trim()
  if (!fork) {
    const why = commit ? 'has no history in common with HEAD' : 'is not a commit'
    throw new Refused(`${base} ${why} in this clone; fetch the whole history (fetch-depth: 0).`)
  }
  const changed = [...changedFiles(fork), ...changedFields(fork)]
  const written = newLines(read(CHANGELOG), git('show', `${fork}:${CHANGELOG}`) ?? '')
  if (changed.length > 0 && written.length === 0) {
    throw new Refused(
      `${CHANGELOG} has no new line under "${UNRELEASED}", but what is published changed since ${base}:\n${list(changed)}`,
    )
  }
  return `${changed.length} published files changed since ${base}, and ${CHANGELOG} has ${written.length} new lines.`
}

/** Against the working tree, so that it can be tried before the commit. Documents are no change of what is published. */
function changedFiles(fork: string): string[] {
  const tracked = git('diff', '--name-only', '--no-renames', '-z', fork, '--', ...PUBLISHED)
  const untracked = git('ls-files', '--others', '--exclude-standard', '-z', '--', ...PUBLISHED)
  if (tracked === undefined || untracked === undefined) throw new Refused(`git cannot compare with ${fork}.`)
  return `${tracked}${untracked}`.split('\0').filter((file) => file !== '' && !file.endsWith('.md'))
}

function changedFields(fork: string): string[] {
  return Object.entries(FIELDS).flatMap(([file, fields]) => {
    const [was, is] = [git('show', `${fork}:${file}`) || '{}', read(file) || '{}'].map((text) => JSON.parse(text))
    const changed = fields.filter((field) => JSON.stringify(was[field]) !== JSON.stringify(is[field]))
    return changed.length > 0 ? [`${file} (${changed.join(', ')})`] : []
  })
}

/** The last release before HEAD; nothing in a clone without tags, and in a folder that is no clone. */
function lastTag(): string | undefined {
  const top = git('rev-parse', '--show-toplevel')?.trim()
  if (!top || realpathSync(top) !== realpathSync('.')) return undefined
  return git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*')?.trim()
}

function release(version: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Refused(`${version} is not a version.`)
  checkApi()
  const moved = moveUnreleased(read(CHANGELOG), version, new Date().toISOString().slice(0, 10))
  writeFileSync(CHANGELOG, moved)
  writeFileSync(RELEASED_API, releasedApi(read(API), version))
}

/** Both checks say what they find. */
function attempt(check: () => string): void {
  try {
    console.log(check())
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

try {
  const [first, version, ...more] = process.argv.slice(2)
  if (first === '--release' && version !== undefined && more.length === 0) release(version)
  else if (version !== undefined || first?.startsWith('-')) {
    console.error('Usage: node scripts/changelog.ts [BASE] | --release VERSION')
    process.exitCode = 2
  } else {
    // A push that creates a branch tells zeros, a pull request nothing.
    const base = first && !/^0*$/.test(first) ? first : lastTag()
    attempt(checkApi)
    if (base !== undefined) attempt(() => checkSince(base))
    else console.log('No tag of a release is here: only the API was compared.')
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
