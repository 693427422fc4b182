import { join } from 'node:path'
import ts from 'typescript'
import { optionsFor, programOf } from './compile.ts'
import { ENTRIES } from './entries.ts'
import { packedFolder } from './pack.ts'

const HEAD = `# The public API

Names and signatures as the package publishes them. \`npm run api\` writes this file; a test fails when it is not up to date, so
that a change of the API is seen in review. A line "behind them" is what an exported signature names without exporting it.
`

/** The whole public API as a document, from the packed declarations. */
export function describeApi(): string {
  const specifiers = [...ENTRIES.values()]
  const imports = specifiers.map((specifier, index) => `import * as entry${index} from '${specifier}'\n`).join('')
  const program = programOf({ 'main.mts': imports }, optionsFor('bundler', ['lib.es2022.d.ts', 'lib.dom.d.ts']))
  const checker = program.getTypeChecker()
  const main = program.getSourceFile(join(packedFolder(), 'main.mts'))
  if (!main) throw new Error('The packed declarations could not be read.')

  const home = new Map<ts.Symbol, string>()
  const sections = main.statements.filter(ts.isImportDeclaration).map((statement, index) => {
    const specifier = specifiers[index] ?? ''
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier)
    if (!module) throw new Error(`${specifier} could not be read.`)
    const exported = checker.getExportsOfModule(module).map((symbol) => ({ name: symbol.name, symbol: target(symbol) }))
    exported.sort((a, b) => compare(a.name, b.name))
    const own = exported.filter(({ symbol }) => !home.has(symbol))
    for (const { symbol } of own) home.set(symbol, specifier)
    const shared = exported.filter(({ symbol }) => home.get(symbol) !== specifier)
    const behind = [...reach(own.map(({ symbol }) => symbol))].filter((symbol) => !home.has(symbol))
    for (const symbol of behind) home.set(symbol, specifier)
    const parts = [`## ${specifier}`]
    if (own.length > 0) parts.push(code(own.map(({ name, symbol }) => print(symbol, name))))
    if (behind.length > 0)
      parts.push('### Behind them', code(behind.map((symbol) => print(symbol, symbol.name)).sort(compare)))
    for (const other of specifiers) {
      const names = shared.filter(({ symbol }) => home.get(symbol) === other).map(({ name }) => `- \`${name}\``)
      if (names.length > 0) parts.push(`### As in ${other}`, names.join('\n'))
    }
    return parts.join('\n\n')
  })
  return `${HEAD}\n${sections.join('\n\n')}\n`

  function target(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  }

  /** What signatures name, and what that names in turn, as far as the package itself declares it. */
  function reach(from: readonly ts.Symbol[]): Set<ts.Symbol> {
    const reached = new Set<ts.Symbol>()
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) {
        const found = checker.getSymbolAtLocation(node)
        const symbol = found && target(found)
        if (symbol && !reached.has(symbol) && declarationsOf(symbol).length > 0) add(symbol)
      }
      ts.forEachChild(node, visit)
    }
    const add = (symbol: ts.Symbol): void => {
      reached.add(symbol)
      declarationsOf(symbol).forEach(visit)
    }
    from.forEach(add)
    return reached
  }
}

/** The statements of the package that declare a name; a member or a parameter is part of one. */
function declarationsOf(symbol: ts.Symbol): ts.Node[] {
  return (symbol.declarations ?? [])
    .map((one) => (ts.isVariableDeclaration(one) ? one.parent.parent : one))
    .filter((one) => ts.isSourceFile(one.parent) && one.getSourceFile().fileName.includes('/node_modules/edgetill/'))
}

const printer = ts.createPrinter({ removeComments: true })

function print(symbol: ts.Symbol, name: string): string {
  const text = declarationsOf(symbol)
    .map((node) => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/^declare /, ''))
    .join('\n')
  if (text === '') throw new Error(`${name} is exported without a declaration of its own.`)
  return symbol.name === name ? text : `${text}\n// exported as ${name}`
}

const code = (blocks: readonly string[]) => `\`\`\`ts\n${blocks.join('\n')}\n\`\`\``
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
