import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './runtimes.ts'
import { blocks } from './snippets.ts'

/** A Markdown file, by its headings. */
export class Document {
  readonly file: string
  readonly text: string
  readonly #programs: ReadonlyMap<string, string>
  readonly #asked = new Set<string>()

  static readonly #known = new Map<string, Document>()

  /** The same document for everybody who asks, so that it knows which of its programs are tested. */
  static of(file: string): Document {
    const known = Document.#known.get(file) ?? new Document(file)
    Document.#known.set(file, known)
    return known
  }

  constructor(file: string) {
    this.file = file
    this.text = readFileSync(join(root, file), 'utf8')
    this.#programs = new Map(blocks(file, 'ts').map(({ where, code }) => [where, code]))
  }

  /** The text below a heading of any level, up to the next heading. */
  section(title: string): string {
    const found = this.text
      .replace(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/^#/gm, '\\#'))
      .split(/^#+ /m)
      .find((part) => part.startsWith(`${title}\n`))
    if (found === undefined) throw new Error(`${this.file} has no section "${title}".`)
    return found.replaceAll(/^\\#/gm, '#')
  }

  /** The cells of a section's table rows, without the heads. */
  rows(title: string): string[][] {
    const lines = this.section(title).split('\n')
    const isRule = (line = '') => /^\|( *:?-+:? *\|)+$/.test(line)
    return lines
      .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1]))
      .map((line) => line.split('|').slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim()))
  }

  /** The one TypeScript program of a section, which counts as tested from now on. */
  program(title: string): string {
    const section = this.section(title)
    const found = [...this.#programs].filter(([, code]) => section.includes(code))
    const [[where, code] = ['', '']] = found
    if (found.length !== 1) throw new Error(`${this.file}, "${title}" has ${found.length} programs, not one.`)
    this.#asked.add(where)
    return code
  }

  /** Where the programs stand that no test has asked for. */
  untested(): string[] {
    return [...this.#programs.keys()].filter((where) => !this.#asked.has(where))
  }
}

/** The texts in backquotes. */
export const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, one]) => one as string)

/** A guide's shop over SQLite with the database that another program of the guide opens. */
export function overPostgres(shop: string, postgres: string): string {
  const [opening = ''] = /database: postgres\(connect\(.*\)\)/.exec(postgres) ?? []
  const code = shop
    .replace('sqlite }', 'postgres }')
    .replace("import { DatabaseSync } from 'node:sqlite'", "import connect from 'postgres'")
    .replace(/database: sqlite\(.*\)/, opening)
  if (opening === '' || code.includes('sqlite')) throw new Error(code)
  return code
}
