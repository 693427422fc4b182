import { join } from 'node:path'
import ts from 'typescript'
import { ENTRIES } from '../../../scripts/entries.ts'
import { optionsFor } from '../../node/support/program.ts'
import { programOf } from './compile.ts'
import { packedFolder } from './pack.ts'

const HEAD = `# The public API

Names and signatures as the package publishes them. \`npm run api\` writes this file; a test fails when it is not up to date, so
that a change of the API is seen in review. A line "behind them" is what an exported signature names without exporting it.
`

interface Exported {
  name: string
  symbol: ts.Symbol
  /** There is no such value at run time. */
  typeOnly: boolean
}

interface Entry {
  specifier: string
  exported: Exported[]
}

/** Every public entry as its packed declarations have it. */
function readEntries(): { entries: Entry[]; checker: ts.TypeChecker } {
  const specifiers = ENTRIES.map(({ specifier }) => specifier)
  const imports = specifiers.map((specifier, index) => `import * as entry${index} from '${specifier}'\n`).join('')
  const program = programOf({ 'main.mts': imports }, optionsFor('bundler', ['lib.es2022.d.ts', 'lib.dom.d.ts']))
  const checker = program.getTypeChecker()
  const main = program.getSourceFile(join(packedFolder(), 'main.mts'))
  if (!main) throw new Error('The packed declarations could not be read.')
  const entries = main.statements.filter(ts.isImportDeclaration).map((statement, index) => {
    const specifier = specifiers[index] ?? ''
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier)
    if (!module) throw new Error(`${specifier} could not be read.`)
    const exported = checker.getExportsOfModule(module).map((alias) => {
      const symbol = targetOf(alias, checker)
      const typeOnly =
        !(symbol.flags & ts.SymbolFlags.Value) || (alias.declarations ?? []).some(ts.isTypeOnlyExportDeclaration)
      return { name: alias.name, symbol, typeOnly }
    })
    return { specifier, exported: exported.sort((a, b) => compare(a.name, b.name)) }
  })
  return { entries, checker }
}

const targetOf = (symbol: ts.Symbol, checker: ts.TypeChecker) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** The whole public API as a document, from the packed declarations. */
export function describeApi(): string {
  const { entries, checker } = readEntries()
  const home = new Map<ts.Symbol, string>()
  const sections = entries.map(({ specifier, exported }) => {
    const own = exported.filter(({ symbol }) => !home.has(symbol))
    for (const { symbol } of own) home.set(symbol, specifier)
    const shared = exported.filter(({ symbol }) => home.get(symbol) !== specifier)
    const reached = reach(
      own.map(({ symbol }) => symbol),
      checker,
    )
    const behind = [...reached].filter((symbol) => !home.has(symbol))
    for (const symbol of behind) home.set(symbol, specifier)
    const parts = [`## ${specifier}`]
    if (own.length > 0) parts.push(code(own.map((one) => print(one.symbol, one.name) + remark(one))))
    if (behind.length > 0)
      parts.push('### Behind them', code(behind.map((symbol) => print(symbol, symbol.name)).sort(compare)))
    for (const { specifier: other } of entries) {
      const names = shared.filter(({ symbol }) => home.get(symbol) === other)
      if (names.length > 0)
        parts.push(`### As in ${other}`, names.map((one) => `- \`${one.name}\`${remark(one)}`).join('\n'))
    }
    return parts.join('\n\n')
  })
  return `${HEAD}\n${sections.join('\n\n')}\n`
}

/** The names of each entry that are there at run time, as the declarations promise it. */
export function promisedValues(): Map<string, string[]> {
  return new Map(
    readEntries().entries.map(({ specifier, exported }) => [
      specifier,
      exported.filter(({ typeOnly }) => !typeOnly).map(({ name }) => name),
    ]),
  )
}

/**
 * The types that a signature names and no entry exports, so that nobody can write them down. What an exported interface
 * `extends` is no such type: all of its fields are the interface's own, and no signature hands it out.
 */
export function unnamedTypes(): string[] {
  const { entries, checker } = readEntries()
  const named = new Set(entries.flatMap(({ exported }) => exported.map(({ symbol }) => symbol)))
  const reached = reach(named, checker, (node) => ts.isHeritageClause(node))
  return [...reached]
    .filter((symbol) => symbol.flags & ts.SymbolFlags.Type && !named.has(symbol))
    .map(({ name }) => name)
    .sort(compare)
}

/** The types that signatures name, and those that they name in turn, as far as the package itself declares them. */
function reach(from: Iterable<ts.Symbol>, checker: ts.TypeChecker, skip = (_: ts.Node) => false): Set<ts.Symbol> {
  const reached = new Set<ts.Symbol>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const found = checker.getSymbolAtLocation(node)
      const symbol = found && targetOf(found, checker)
      if (symbol && !reached.has(symbol) && declarationsOf(symbol).length > 0) add(symbol)
    }
    ts.forEachChild(node, (child) => (skip(child) ? undefined : visit(child)))
  }
  const add = (symbol: ts.Symbol): void => {
    reached.add(symbol)
    declarationsOf(symbol).forEach(visit)
  }
  for (const symbol of from) add(symbol)
  return reached
}

/** The statements of the package that declare a name; a member or a parameter is part of one. */
function declarationsOf(symbol: ts.Symbol): ts.Node[] {
  return (
    (symbol.declarations ?? [])
      .map((one) => (ts.isVariableDeclaration(one) ? one.parent.parent : one))
      // A whole module, as `import * as v` names one, has no parent.
      .filter(
        (one) =>
          one.parent && ts.isSourceFile(one.parent) && one.getSourceFile().fileName.includes('/node_modules/edgetill/'),
      )
  )
}

const printer = ts.createPrinter({ removeComments: true })

function print(symbol: ts.Symbol, name: string): string {
  const text = declarationsOf(symbol)
    .map((node) => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/^declare /, ''))
    .join('\n')
  if (text === '') throw new Error(`${name} is exported without a declaration of its own.`)
  return symbol.name === name ? text : `${text}\n// exported as ${name}`
}

/** A class, function or constant is expected to be there at run time; a type is not. */
const remark = ({ symbol, typeOnly }: Exported) =>
  typeOnly && symbol.flags & ts.SymbolFlags.Value ? ' // a type alone' : ''

const code = (blocks: readonly string[]) => `\`\`\`ts\n${blocks.join('\n')}\n\`\`\``
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
