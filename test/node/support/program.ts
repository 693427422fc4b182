import { join } from 'node:path'
import { build } from 'esbuild'
import ts from 'typescript'
import { ENTRIES } from '../../../scripts/entries.ts'
import { root } from './runtimes.ts'

/** A program of files by their absolute paths, which are held in memory; what they import may be on disk. */
export function programOf(
  files: ReadonlyMap<string, string>,
  options: ts.CompilerOptions,
  folder: string = root,
): ts.Program {
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.getCurrentDirectory = () => folder
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name)
  host.readFile = (name) => files.get(name) ?? readFile.call(host, name)
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name)
    if (text === undefined) return getSourceFile.call(host, name, version, ...rest)
    return ts.createSourceFile(name, text, version)
  }
  return ts.createProgram([...files.keys()], options, host)
}

/** What the compiler says of one file of a program. */
export function complaintsOf(program: ts.Program, file: string): string[] {
  const source = program.getSourceFile(file)
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '),
  )
}

/** A program of a document as one module, in which `edgetill` is this checkout. */
export async function bundled(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, loader: 'ts', resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    alias: Object.fromEntries(ENTRIES.map(({ specifier, source }) => [specifier, join(root, source)])),
  })
  return outputFiles[0]?.text ?? ''
}

/** Runs a program of a document in this process. */
export async function load(code: string): Promise<Record<string, unknown>> {
  const text = await bundled(code)
  return import(/* @vite-ignore */ `data:text/javascript;base64,${btoa(unescape(encodeURIComponent(text)))}`)
}
