import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { root } from './support/runtimes.ts'

/** The layers of src, lowest first: a file imports from its own layer (never in a cycle) and from lower ones. */
const LAYERS: [layer: string, RegExp][] = [
  ['errors, lib', /^src\/(errors\.ts|lib\/)/],
  ['card', /^src\/card\//],
  ['schemas', /^src\/schemas\//],
  [
    'config, transport, webhooks',
    /^src\/(config|hooks|authentication|refusal|transport|purchase-request|read-record)\.ts$|^src\/webhooks\//,
  ],
  ['operations', /^src\/operations\//],
  ['client', /^src\/client\.ts$/],
  ['index', /^src\/index\.ts$/],
  ['emulator', /^src\/emulator\//],
  ['cli', /^src\/cli\//],
]

interface Import {
  from: string
  to: string
  typeOnly: boolean
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

/** Every import and re-export of a file, type-only and dynamic ones included. */
export function importsOf(file: string, text: string): Import[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (!specifier || !ts.isStringLiteral(specifier)) return
    const to = specifier.text.startsWith('.')
      ? relative(root, join(root, dirname(file), specifier.text))
      : specifier.text
    found.push({ from: file, to, typeOnly })
  }
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause))
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false
  if (clause.isTypeOnly) return true
  const names = clause.namedBindings
  return (
    !clause.name && names !== undefined && ts.isNamedImports(names) && names.elements.every((one) => one.isTypeOnly)
  )
}

const layerOf = (file: string) => LAYERS.findIndex(([, pattern]) => pattern.test(file))
const files = sourceFiles('src')
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')))
const inside = imports.filter(({ to }) => to.startsWith('src/'))

export function cycles(edges: readonly { from: string; to: string }[]): string[][] {
  const next = new Map<string, string[]>()
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to])
  const done = new Set<string>()
  const found: string[][] = []
  const visit = (file: string, path: string[]) => {
    const at = path.indexOf(file)
    if (at >= 0) found.push([...path.slice(at), file])
    if (at >= 0 || done.has(file)) return
    for (const to of next.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  return found
}

describe('imports run one way', () => {
  it('every file of src belongs to a layer', () => {
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter((file) => layerOf(file) < 0)).toEqual([])
  })

  it('no file imports from a higher layer', () => {
    // The emulator has a rule of its own below.
    const upward = inside.filter(({ from, to }) => !from.startsWith('src/emulator/') && layerOf(to) > layerOf(from))
    expect(upward).toEqual([])
  })

  it('there is no cycle, type-only ones included', () => {
    expect(cycles(inside)).toEqual([])
  })

  it('the emulator takes from the SDK its signing, base64url, sha1 and types, nothing else', () => {
    const allowed = /^src\/(emulator\/|webhooks\/sign\.ts$|lib\/(base64url|sha1)\.ts$)/
    const taken = inside.filter(
      ({ from, to, typeOnly }) => from.startsWith('src/emulator/') && !typeOnly && !allowed.test(to),
    )
    expect(taken).toEqual([])
  })

  it('nothing outside the emulator and the command line reaches the emulator', () => {
    const reaching = inside.filter(
      ({ from, to }) => !/^src\/(emulator|cli)\//.test(from) && to.startsWith('src/emulator/'),
    )
    expect(reaching).toEqual([])
  })

  it('src names no runtime: packages come from a short list, and none of them is node:', () => {
    const outside = imports.filter(({ from, to }) => !to.startsWith('src/') && !from.startsWith('src/cli/'))
    const allowed = /^(valibot|@noble\/hashes\/(hmac|legacy)\.js)$/
    const emulator = /^(hono(\/.*)?|valibot|@noble\/hashes\/.*)$/
    const foreign = outside.filter(({ from, to }) => !(from.startsWith('src/emulator/') ? emulator : allowed).test(to))
    expect(foreign).toEqual([])
  })

  it('the worker reaches the SDK through worker/sdk.ts alone, by one line', () => {
    const worker = sourceFiles('worker').flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')))
    const reaching = worker.filter(({ to }) => to.startsWith('src/') || to.startsWith('edgetill'))
    expect(reaching.map(({ from }) => from)).toEqual(['worker/sdk.ts'])
  })
})

describe('the rule itself can fail', () => {
  it('sees type-only and re-exporting imports', () => {
    const text = "import type { A } from './a.ts'\nexport * from '../b.ts'\ntype C = import('./c.ts').C\n"
    expect(importsOf('src/lib/x.ts', text).map(({ to }) => to)).toEqual(['src/lib/a.ts', 'src/b.ts', 'src/lib/c.ts'])
  })

  it('finds a cycle of two and of three files', () => {
    const edge = (from: string, to: string) => ({ from, to })
    expect(cycles([edge('a', 'b'), edge('b', 'a')])).toEqual([['a', 'b', 'a']])
    expect(cycles([edge('a', 'b'), edge('b', 'c'), edge('c', 'a')])).toEqual([['a', 'b', 'c', 'a']])
    expect(cycles([edge('a', 'b'), edge('a', 'c'), edge('b', 'c')])).toEqual([])
  })
})
