import { join } from 'node:path'
import ts from 'typescript'
import { ENTRIES } from '../../../scripts/entries.ts'
import { programOf as programInMemory } from '../../node/support/program.ts'
import { packedFolder } from './pack.ts'

/** Makes a module that loads the types of every public entry. */
export const EVERY_ENTRY = ENTRIES.map(
  ({ specifier }, index) => `export * as entry${index} from '${specifier}'\n`,
).join('')

/** A program of files that stand beside the installed package, held in memory. */
export function programOf(
  files: Readonly<Record<string, string>>,
  options: ts.CompilerOptions,
  folder = packedFolder(),
): ts.Program {
  return programInMemory(
    new Map(Object.entries(files).map(([name, text]) => [join(folder, name), text])),
    options,
    folder,
  )
}

/** The published types under the package's names, for programs that stand in the checkout and see its devDependencies. */
export const packedPaths = (): Record<string, string[]> =>
  Object.fromEntries(
    ENTRIES.map(({ name, specifier }) => [
      specifier,
      [join(packedFolder(), 'node_modules/edgetill/dist', `${name}.d.ts`)],
    ]),
  )

/** The compiler's messages on the program, and on its files in a folder. */
export function complaints(program: ts.Program, folder = '/'): string[] {
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder))
  return [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ].map(({ file, messageText }) => `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
}
