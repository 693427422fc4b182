// JSON Schema of TypeScript types, with their comments: as much of it as scripts/openapi/shapes.ts needs.

import { join } from 'node:path'
import ts from 'typescript'

export type Schema = Record<string, unknown>

const TAGS = /^(type|minimum|maximum|minLength|maxLength|format|default)$/

/** Reads the types of one file. Those that have a name go into `named`, and are referred to. */
export class TypeReader {
  readonly named: Record<string, Schema> = {}
  private readonly checker: ts.TypeChecker
  private readonly source: ts.SourceFile

  constructor(file: string) {
    const folder = join(import.meta.dirname, '../../test')
    const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile)
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
    const program = ts.createProgram([file], options)
    this.checker = program.getTypeChecker()
    this.source = program.getSourceFile(file) as ts.SourceFile
  }

  /** The properties of an interface that the file exports. */
  interfaceOf(name: string): Map<string, ts.Type> {
    const module = this.checker.getSymbolAtLocation(this.source) as ts.Symbol
    const symbol = this.checker.getExportsOfModule(module).find((one) => one.name === name)
    return this.propertiesOf(this.checker.getDeclaredTypeOfSymbol(symbol as ts.Symbol))
  }

  propertiesOf(type: ts.Type): Map<string, ts.Type> {
    return new Map(type.getProperties().map((one) => [one.name, this.checker.getTypeOfSymbol(one)]))
  }

  schemaOf(type: ts.Type): Schema {
    const name = nameOf(type)
    if (name === undefined) return this.describe(type)
    if (!(name in this.named)) {
      this.named[name] = {}
      const description = textOf(type.aliasSymbol ?? type.symbol, this.checker)
      this.named[name] = { ...(description && { description }), ...this.describe(type) }
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** The schema of a type itself, whether it has a name or not. */
  describe(type: ts.Type): Schema {
    if (type.isUnion()) return this.union(type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined)))
    if (type.isLiteral()) return { const: type.value }
    const { flags } = type
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {}
    if (flags & ts.TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' }
    if (flags & ts.TypeFlags.Null) return { type: 'null' }
    if (flags & ts.TypeFlags.NonPrimitive) return { type: 'object' }
    // `string & {}`: any text, beside those that are known.
    if (flags & ts.TypeFlags.String || isOpenText(type)) return { type: 'string' }
    if (flags & ts.TypeFlags.Number) return { type: 'number' }
    if (this.checker.isArrayType(type)) {
      const [item] = this.checker.getTypeArguments(type as ts.TypeReference)
      return { type: 'array', items: this.schemaOf(item as ts.Type) }
    }
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.object(type)
    throw new Error(`No JSON Schema is known for ${this.checker.typeToString(type)}.`)
  }

  private union(types: readonly ts.Type[]): Schema {
    const [first] = types
    if (types.length === 1 && first) return this.schemaOf(first)
    const isNullable = types.some(({ flags }) => flags & ts.TypeFlags.Null)
    const others = types.filter(({ flags }) => !(flags & ts.TypeFlags.Null))
    if (isNullable) {
      const schema = this.union(others)
      const isPlain = typeof schema.type === 'string' && schema.enum === undefined
      return isPlain ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, { type: 'null' }] }
    }
    if (others.every(({ flags }) => flags & ts.TypeFlags.BooleanLiteral)) return { type: 'boolean' }
    const literals = others.flatMap((one) => (one.isLiteral() ? [one.value] : []))
    if (literals.length === others.length) return { type: typeof literals[0], enum: literals }
    if (literals.length > 0 && others.some(isOpenText)) return { type: 'string', examples: literals }
    return { anyOf: others.map((one) => this.schemaOf(one)) }
  }

  private object(type: ts.Type): Schema {
    const properties: Record<string, Schema> = {}
    const required: string[] = []
    for (const property of type.getProperties()) {
      const its = this.checker.getTypeOfSymbol(property)
      // `init_recurring?: undefined`
      if (its.flags & ts.TypeFlags.Undefined) continue
      const description = textOf(property, this.checker)
      properties[property.name] = {
        ...this.schemaOf(its),
        ...(description && { description }),
        ...tagsOf(property, this.checker),
      }
      if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name)
    }
    const index = this.checker.getIndexTypeOfType(type, ts.IndexKind.String)
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(index && { additionalProperties: index.flags & ts.TypeFlags.Never ? false : this.schemaOf(index) }),
    }
  }
}

const isOpenText = (type: ts.Type): boolean =>
  type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.String)

/** Interfaces, and aliases without parameters, have names; whatever else is written out. */
function nameOf(type: ts.Type): string | undefined {
  const { aliasSymbol, aliasTypeArguments, symbol } = type
  const isObject = Boolean(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))
  if (aliasSymbol) return isObject && !aliasTypeArguments ? aliasSymbol.name : undefined
  const isInterface = isObject && symbol && symbol.flags & ts.SymbolFlags.Interface
  return isInterface && !/^(Readonly)?Array$/.test(symbol.name) ? symbol.name : undefined
}

const textOf = (symbol: ts.Symbol, checker: ts.TypeChecker): string =>
  ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll('\n', ' ')

function tagsOf(symbol: ts.Symbol, checker: ts.TypeChecker): Schema {
  const tags = symbol.getJsDocTags(checker).filter(({ name }) => TAGS.test(name))
  return Object.fromEntries(
    tags.map(({ name, text }) => {
      const value = ts.displayPartsToString(text)
      return [name, /^\d+$/.test(value) ? Number(value) : value]
    }),
  )
}
