import { blocks, examples, type Snippet, sources } from '../../node/support/snippets.ts'

/** The README's programs, and those of the docstrings: what a user copies first. */
export function documentedPrograms(): Snippet[] {
  return [...blocks('README.md', 'ts'), ...sources('src').flatMap(examples)].filter(({ code }) =>
    /from 'edgetill[/']/.test(code),
  )
}

/** Each as a module of its own. */
export const asFiles = (programs: readonly Snippet[]): Record<string, string> =>
  Object.fromEntries(
    programs.map(({ where, code }, index) => [`program-${index}.mts`, `// ${where}\n${code}\nexport {}\n`]),
  )
