import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import ts from 'typescript'
import { ENTRIES } from '../../../scripts/entries.ts'
import { root } from './runtimes.ts'

type Resolution = 'nodenext' | 'bundler'

/** The options of a user who checks everything, the libraries' own types included. */
export function optionsFor(resolution: Resolution, lib: readonly string[] = ['lib.es2022.d.ts']): ts.CompilerOptions {
  const [module, moduleResolution] =
    resolution === 'nodenext'
      ? [ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext]
      : [ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler]
  return {
    target: ts.ScriptTarget.ES2022,
    module,
    moduleResolution,
    lib: [...lib],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    // The compiler's own libraries alone.
    skipDefaultLibCheck: true,
    noEmit: true,
  }
}

/** Where the compiler finds `edgetill` and its entries in this checkout. */
export const SOURCE_PATHS: Record<string, string[]> = Object.fromEntries(
  ENTRIES.map(({ specifier, source }) => [specifier, [join(root, source)]]),
)

/** A program of files by their absolute paths, which are held in memory; what they import may be on disk. */
export function programOf(
  files: ReadonlyMap<string, string>,
  options: ts.CompilerOptions,
  folder: string = root,
): ts.Program {
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile, directoryExists } = host
  const folders = new Set([...files.keys()].map((name) => dirname(name)))
  const parsed = parsedUnder(options)
  host.getCurrentDirectory = () => folder
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name)
  host.directoryExists = (name) => folders.has(name) || (directoryExists?.call(host, name) ?? true)
  host.readFile = (name) => files.get(name) ?? readFile.call(host, name)
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name)
    if (text !== undefined) return ts.createSourceFile(name, text, version)
    const known = parsed.get(name)
    if (known) return known
    const file = getSourceFile.call(host, name, version, ...rest)
    if (file) parsed.set(name, file)
    return file
  }
  return ts.createProgram([...files.keys()], options, host)
}

/** The files on disk that were parsed for a program with the same options: a library's types are read once. */
function parsedUnder(options: ts.CompilerOptions): Map<string, ts.SourceFile> {
  const key = JSON.stringify(options)
  const parsed = PARSED.get(key) ?? new Map<string, ts.SourceFile>()
  PARSED.set(key, parsed)
  return parsed
}
const PARSED = new Map<string, Map<string, ts.SourceFile>>()

/** The compiler's messages on one file of a program. */
export function complaintsOf(program: ts.Program, file: string): string[] {
  const source = program.getSourceFile(file)
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '),
  )
}

const BUNDLE = {
  bundle: true,
  format: 'esm',
  alias: Object.fromEntries(ENTRIES.map(({ specifier, source }) => [specifier, join(root, source)])),
} as const

/** A program of a document as one module, in which `edgetill` is this checkout. */
export async function bundled(code: string): Promise<string> {
  const { outputFiles } = await build({
    ...BUNDLE,
    stdin: { contents: code, loader: 'ts', resolveDir: root },
    write: false,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*'],
  })
  return outputFiles[0]?.text ?? ''
}

/** Packages that a program of {@link writeProgram} finds beside it, or in its runtime. */
const INSTALLED = 'express fastify hono @hono/node-server postgres pg vitest bun:test bun:sqlite'.split(' ')

/** Writes a program as one module that a process can run, in which `edgetill` is this checkout. */
export async function writeProgram(
  code: string,
  outfile: string,
  folder: string = root,
  installed: string[] = INSTALLED,
): Promise<string> {
  const stdin = { contents: code, loader: 'ts', resolveDir: folder } as const
  await build({ ...BUNDLE, stdin, outfile, platform: 'node', external: installed })
  return outfile
}

/** Runs a program of a document in this process. */
export async function load(code: string): Promise<Record<string, unknown>> {
  const text = await bundled(code)
  return import(/* @vite-ignore */ `data:text/javascript;base64,${btoa(unescape(encodeURIComponent(text)))}`)
}
