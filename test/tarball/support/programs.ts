import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../node/support/runtimes.ts'
import { blocks, examples, type Snippet, sources } from '../../node/support/snippets.ts'

/** The programs of the README, the guides and the docstrings that import edgetill: what a user copies first. */
function documentedPrograms(): Snippet[] {
  const documents = [
    'README.md',
    ...readdirSync(join(root, 'guides')).flatMap((file) => (file.endsWith('.md') ? [`guides/${file}`] : [])),
  ]
  return [...documents.flatMap((file) => blocks(file, 'ts')), ...sources('src').flatMap(examples)].filter(({ code }) =>
    /from 'edgetill[/']/.test(code),
  )
}

/** Whether a program needs more than edgetill: another module, or Node's `process`. */
const importsOthers = ({ code }: Snippet) => /from '(?!edgetill)|\bprocess\./.test(code)

/** Those that import nothing else, and so compile on every platform; each a separate module. */
export const portablePrograms = (): Record<string, string> =>
  asFiles(documentedPrograms().filter((program) => !importsOthers(program)))

/**
 * Those that import a framework, a module of Node or another program of their guide, which is there under its name. What is for Bun
 * alone is run by the guide's own test.
 */
export function serverPrograms(): Record<string, string> {
  const programs = documentedPrograms().filter((program) => importsOthers(program) && !program.code.includes("'bun:"))
  const named = programs.flatMap(({ code }): [string, string][] => {
    const name = /^\/\/ (\w+\.ts)\n/.exec(code)?.[1]
    return name === undefined ? [] : [[name, code]]
  })
  return { ...asFiles(programs), ...Object.fromEntries(named) }
}

const asFiles = (programs: readonly Snippet[]): Record<string, string> =>
  Object.fromEntries(
    programs.map(({ where, code }, index) => [`program-${index}.mts`, `// ${where}\n${code}\nexport {}\n`]),
  )
