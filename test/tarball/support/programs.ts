import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../node/support/runtimes.ts'
import { blocks, examples, type Snippet, sources } from '../../node/support/snippets.ts'

/** The programs of the README, the guides and the docstrings: what a user copies first. */
export function documentedPrograms(): Snippet[] {
  const documents = [
    'README.md',
    ...readdirSync(join(root, 'guides')).flatMap((file) => (file.endsWith('.md') ? [`guides/${file}`] : [])),
  ]
  return [...documents.flatMap((file) => blocks(file, 'ts')), ...sources('src').flatMap(examples)].filter(({ code }) =>
    /from 'edgetill[/']/.test(code),
  )
}

/** Each as a module of its own. */
export const asFiles = (programs: readonly Snippet[]): Record<string, string> =>
  Object.fromEntries(
    programs.map(({ where, code }, index) => [`program-${index}.mts`, `// ${where}\n${code}\nexport {}\n`]),
  )
