// src/client/client-methods.ts is made from src/operations: each function with its docstring, without its configuration.
// `npm run client:update` writes it; without --update, as in `npm run check`, this fails when it is stale.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '..')
const FILE = 'src/client/client-methods.ts'

/** The text that src/client/client-methods.ts should have. */
export function clientMethods(): string {
  const imports = new Map<string, Set<string>>()
  const methods = readdirSync(join(root, 'src/operations')).flatMap((file) => methodsOf(file, imports))
  const text = [
    '// Generated from src/operations by `npm run client:update`.',
    '',
    ...[...imports].map(([from, names]) => `import type { ${[...names].join(', ')} } from '${from}'`),
    '',
    '/** Every operation, bound to one configuration. The functions can be taken out and passed on: they need no `this`. */',
    'export interface Client {',
    methods.join('\n'),
    '}',
    '',
  ].join('\n')
  const biome = join(root, 'node_modules/.bin/biome')
  return execFileSync(biome, ['check', '--write', `--stdin-file-path=${FILE}`], { cwd: root, input: text }).toString()
}

/** The methods for the operations of one file. Notes the imports of their types. */
function methodsOf(file: string, imports: Map<string, Set<string>>): string[] {
  const path = `src/operations/${file}`
  const source = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true)
  return source.statements.filter(isOperation).map((operation) => {
    const [, ...parameters] = operation.parameters
    // A parameter with a default may be left out.
    const listed = parameters.map(({ name, type, initializer }) => {
      return `${name.getText()}${initializer ? '?' : ''}: ${type?.getText()}`
    })
    const generic = operation.typeParameters?.map((one) => one.getText()).join(', ')
    const signature = `${operation.name?.text}${generic ? `<${generic}>` : ''}(${listed.join(', ')}): ${operation.type?.getText()}`
    for (const type of [...parameters.map((one) => one.type), operation.type]) noteImports(type, source, imports)
    return `${docOf(operation)}\n${signature}`
  })
}

function isOperation(node: ts.Statement): node is ts.FunctionDeclaration {
  return ts.isFunctionDeclaration(node) && node.parameters[0]?.type?.getText() === 'ClientConfig'
}

function noteImports(node: ts.Node | undefined, source: ts.SourceFile, imports: Map<string, Set<string>>): void {
  if (!node) return
  if (ts.isTypeReferenceNode(node)) {
    const name = node.typeName.getText()
    const from = originOf(name, source)
    if (from) imports.set(from, (imports.get(from) ?? new Set()).add(name))
  }
  ts.forEachChild(node, (child) => noteImports(child, source, imports))
}

/** The module that has a type, seen from src/client; undefined for a global type or a type parameter. */
function originOf(name: string, source: ts.SourceFile): string | undefined {
  for (const one of source.statements) {
    if ((ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) && one.name.text === name) {
      return source.fileName.replace(/^src/, '..')
    }
    const named = ts.isImportDeclaration(one) && one.importClause?.namedBindings
    if (named && ts.isNamedImports(named) && named.elements.some((element) => element.name.text === name)) {
      const { text } = one.moduleSpecifier as ts.StringLiteral
      return text.startsWith('../') ? text : text.replace('./', '../operations/')
    }
  }
  return undefined
}

/** The docstring, without its configuration, and with the client in its example. */
function docOf(operation: ts.FunctionDeclaration): string {
  const name = operation.name?.text
  return ts
    .getJSDocCommentsAndTags(operation)
    .map((doc) => doc.getFullText())
    .join('')
    .replace(/^ \* @param config .*\n/m, '')
    .replace(/^ \* import \{(.*)\} from 'edgetill'$/m, (_, names: string) => {
      const others = names.split(',').filter((one) => one.trim() !== name && one.trim() !== 'type ClientConfig')
      return ` * import ${others.length > 0 ? '{ type' : 'type {'} ${['Client', ...others.map((one) => one.trim())].join(', ')} } from 'edgetill'`
    })
    .replaceAll('config: ClientConfig', 'client: Client')
    .replaceAll(new RegExp(`\\b${name}\\(config(, )?`, 'g'), `client.${name}(`)
}

if (import.meta.main) {
  const text = clientMethods()
  if (process.argv.includes('--update')) writeFileSync(join(root, FILE), text)
  else if (text !== readFileSync(join(root, FILE), 'utf8')) {
    console.error(`${FILE} is not what src/operations says: run \`npm run client:update\` and commit it.`)
    process.exitCode = 1
  }
}
