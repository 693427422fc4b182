// CHANGELOG.md and the API document as data. Nothing is imported: the check runs in a clone without node_modules.

/** What has changed since the last release collects under this heading; a release gives it a version and a date. */
export const UNRELEASED = '## [Unreleased]'
/** The heading of a released version. */
export const RELEASED: RegExp = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/

export interface Section {
  heading: string
  /** What it says: neither empty lines nor headings inside it. */
  lines: string[]
}

/** The sections of a CHANGELOG, as they stand in it. */
export function sectionsOf(changelog: string): Section[] {
  const [, ...parts] = changelog.split(/^(?=## )/m)
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n').map((line) => line.trim())
    return { heading, lines: lines.filter((line) => line !== '' && !line.startsWith('#')) }
  })
}

/** What is said under "Unreleased". */
export const unreleasedLines = (changelog: string): string[] =>
  sectionsOf(changelog).find(({ heading }) => heading === UNRELEASED)?.lines ?? []

/** Lines that an earlier CHANGELOG does not have, of what is unreleased or was released since. */
export function newLines(now: string, before: string): string[] {
  const known = new Set(before.split('\n').map((line) => line.trim()))
  return sectionsOf(now)
    .filter(({ heading }) => heading === UNRELEASED || !known.has(heading))
    .flatMap(({ lines }) => lines)
    .filter((line) => !known.has(line))
}

/** The CHANGELOG of a release: what was unreleased goes under the version, and the next changes have a place. */
export function moveUnreleased(changelog: string, version: string, date: string): string {
  if (unreleasedLines(changelog).length === 0) throw new Error(`CHANGELOG.md says nothing under "${UNRELEASED}".`)
  const heading = `## [${version}] - ${date}`
  if (sectionsOf(changelog).some((section) => RELEASED.exec(section.heading)?.[1] === version))
    throw new Error(`CHANGELOG.md has ${version} already.`)
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n${heading}`)
}

const TITLE = /^# The public API(?: of (\S+))?\n/

/** The API document of a release, which names its version. */
export const releasedApi = (api: string, version: string): string =>
  api.replace(TITLE, `# The public API of ${version}\n`)

/** The version that an API document was released as. */
export const versionOf = (api: string): string | undefined => TITLE.exec(api)?.[1]

const DECLARED = /^(?:abstract class|class|const|function|interface|type) (\w+)/
const SHARED = /^- `(\w+)`/

/** Every public name of an API document, by entry, with all that the document says of it. */
function namesOf(api: string): Map<string, string> {
  const names = new Map<string, string>()
  for (const section of api.split(/^## /m).slice(1)) {
    const entry = section.slice(0, section.indexOf('\n'))
    let name: string | undefined
    let behind = false
    for (const line of section.split('\n')) {
      if (line.startsWith('### ')) behind = line === '### Behind them'
      const found = DECLARED.exec(line) ?? SHARED.exec(line)
      if (found || line.startsWith('```') || line.startsWith('#')) name = found?.[1]
      if (name === undefined || behind || line === '') continue
      const key = `${entry} ${name}`
      names.set(key, `${names.get(key) ?? ''}${line}\n`)
    }
  }
  return names
}

export interface ApiChange {
  entry: string
  name: string
  change: 'added' | 'changed' | 'removed'
}

/** What an API document has otherwise than an earlier one. */
export function apiChanges(before: string, now: string): ApiChange[] {
  const [old, current] = [namesOf(before), namesOf(now)]
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((key) => {
    const [entry = '', name = ''] = key.split(' ')
    const [was, is] = [old.get(key), current.get(key)]
    if (was === is) return []
    return [{ entry, name, change: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed' }]
  })
}

/** The names that lines of Markdown write as code. A word of the prose is no name: "payment" does not name `Payment`. */
export function namedIn(lines: readonly string[]): Set<string> {
  const code = [...lines.join('\n').matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '')
  return new Set(code.flatMap((text) => text.match(/\w+/g) ?? []))
}
