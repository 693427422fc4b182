import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './pack.ts'

export interface Program {
  where: string
  code: string
}

/** The README's programs, and those of the docstrings: what a user copies first. */
export function documentedPrograms(): Program[] {
  return [...blocksOf('README.md'), ...sources('src').flatMap(examplesOf)].filter(({ code }) =>
    /from 'edgetill[/']/.test(code),
  )
}

/** Each as a module of its own. */
export const asFiles = (programs: readonly Program[]): Record<string, string> =>
  Object.fromEntries(
    programs.map(({ where, code }, index) => [`program-${index}.mts`, `// ${where}\n${code}\nexport {}\n`]),
  )

function blocksOf(file: string): Program[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
    where: at(file, text, match.index),
    code: match[1] ?? '',
  }))
}

function examplesOf(file: string): Program[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap((comment) =>
    comment[0]
      .replace(/\s*\*\/$/, '')
      .replace(/^ *\* ?/gm, '')
      .split(/^@example\b/m)
      .slice(1)
      .map((rest) => ({
        where: at(file, text, comment.index),
        code: (rest.split(/^@\w/m)[0] ?? '').replace(/^```\w*$/gm, ''),
      })),
  )
}

const at = (file: string, text: string, index: number) => `${file}:${text.slice(0, index).split('\n').length}`

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}
