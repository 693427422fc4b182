import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesUnder, root } from './runtimes.ts'

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
  return filesUnder(join(root, folder), root).filter((file) => file.endsWith('.ts'))
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
