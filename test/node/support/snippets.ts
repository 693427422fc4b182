import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './runtimes.ts'

/** A piece of code in a document, as it would be copied. */
export interface Snippet {
  where: string
  code: string
}

/** The blocks of one language in a Markdown file. */
export function blocks(file: string, language: string): Snippet[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map((match) => ({ where: `${file}:${text.slice(0, match.index).split('\n').length}`, code: match[2] ?? '' }))
}

/** The TypeScript files in a folder. */
export function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

/** The code of every `@example` in a file's docstrings. */
export function examples(file: string): Snippet[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap((comment) =>
    comment[0]
      .replace(/\s*\*\/$/, '')
      .split(/^\s*\* ?@example\b/m)
      .slice(1)
      .map((rest) => ({
        where: `${file}:${text.slice(0, comment.index).split('\n').length}`,
        code: (rest.split(/^\s*\* ?@\w/m)[0] ?? '').replace(/^\s*\* ?/gm, '').replace(/^```\w*$/gm, ''),
      })),
  )
}
