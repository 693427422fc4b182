// The JSON Schema of the result of each route, from its type in src/shop/routes/calls.ts, with the words of the interfaces.

import { join } from 'node:path'
import ts from 'typescript'
import type { Schema } from './json-schema.ts'

const root = join(import.meta.dirname, '../..')
const file = join(root, 'src/shop/routes/calls.ts')
const { options } = ts.convertCompilerOptionsFromJson(
  ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config.compilerOptions,
  root,
)
const program = ts.createProgram([file], { ...options, incremental: false, composite: false })
const checker = program.getTypeChecker()

/** The schemas of the types that have a name in the document. */
export const NAMED: Record<string, Schema> = {}

/** The comment of a type or a field, as one line. */
const wordsOf = (symbol: ts.Symbol | undefined): string | undefined =>
  ts
    .displayPartsToString(symbol?.getDocumentationComment(checker))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\{@link (\w+) ?\}/g, '`$1`')
    .trim() || undefined

/** The fields that are whole numbers. */
const WHOLE = /_minor$|_at$|^(attempts|count|erased_events|events_left|made|max_\w+|queued|sold|taken)$/

/** The result of each route. */
export const RETURNS: ReadonlyMap<string, Schema> = new Map(
  checker.getPropertiesOfType(typeNamed(file, 'Calls')).map((call) => {
    const [returns] = checker.getTypeArguments(checker.getTypeOfSymbol(call) as ts.TypeReference)
    return [call.name, schemaOf(returns as ts.Type)]
  }),
)

/** Adds the words of a type's fields, which may be a union, to a schema that was made otherwise. */
export function withWords(schema: Schema, source: string, name: string): Schema {
  const type = typeNamed(join(root, source), name)
  const parts = type.isUnion() ? type.types : [type]
  const add = ({ properties = {}, anyOf, ...rest }: Schema): Schema => {
    const fields = Object.entries(properties as Record<string, Schema>).map(([field, one]) => {
      const words = parts.map((part) => wordsOf(checker.getPropertyOfType(part, field))).find(Boolean)
      return [field, { ...one, description: one.description ?? words }]
    })
    return anyOf ? { anyOf: (anyOf as Schema[]).map(add) } : { ...rest, properties: Object.fromEntries(fields) }
  }
  return { ...add(schema), description: wordsOf(type.aliasSymbol ?? type.getSymbol()) }
}

function typeNamed(path: string, name: string): ts.Type {
  const source = program.getSourceFile(path)
  const found = source?.statements.find(
    (one): one is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
      (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) && one.name.text === name,
  )
  if (!found) throw new Error(`${path} has no type ${name}.`)
  return checker.getTypeAtLocation(found.name)
}

/** The name that a type has in the document: that of its interface; of `Wire<Capture>` that of the record, which may have more fields. */
function nameOf({ aliasSymbol, aliasTypeArguments: [record] = [], symbol }: ts.Type): ts.Symbol | undefined {
  const named = aliasSymbol?.name === 'Wire' ? record?.symbol : record ? undefined : (aliasSymbol ?? symbol)
  return named?.name.startsWith('__') ? undefined : named
}

function schemaOf(type: ts.Type): Schema {
  if (type.isUnion()) return ofUnion(type.types)
  if (type.isIntersection() && type.types.some((one) => one.flags & ts.TypeFlags.StringLike)) return { type: 'string' }
  if (type.isLiteral()) return { const: type.value }
  if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' }
  if (type.flags & ts.TypeFlags.String) return { type: 'string' }
  if (type.flags & ts.TypeFlags.Number) return { type: 'number' }
  if (type.flags & ts.TypeFlags.Null) return { type: 'null' }
  if (!(type.flags & ts.TypeFlags.Object) && !type.isIntersection()) return {}
  if (checker.isArrayType(type))
    return { type: 'array', items: schemaOf(checker.getTypeArguments(type as never)[0] as ts.Type) }
  const named = nameOf(type)
  if (!named || checker.getPropertiesOfType(type).length === 0) return ofObject(type)
  NAMED[named.name] ??= { ...ofObject(type), description: wordsOf(named) }
  return { $ref: `#/components/schemas/${named.name}` }
}

/** `null` beside one type is a second one; texts are an `enum`. */
function ofUnion(types: readonly ts.Type[]): Schema {
  const all = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined)).map(schemaOf)
  const isBoolean = [true, false].every((value) => all.some((one) => one.const === value))
  const texts = all.flatMap((one) => (typeof one.const === 'string' ? [one.const] : []))
  const plain = all.some((one) => one.type === 'string')
  const rest = all.filter((one) => typeof one.const !== 'string' && !(isBoolean && typeof one.const === 'boolean'))
  const forms: Schema[] = [
    ...(isBoolean ? [{ type: 'boolean' }] : []),
    ...(texts.length > 0 && !plain ? [{ type: 'string', enum: texts }] : []),
    ...[...new Set(rest.map((one) => JSON.stringify(one)))].map((one) => JSON.parse(one) as Schema),
  ]
  const [one = {}, none] = forms.sort((a, b) => Number(a.type === 'null') - Number(b.type === 'null'))
  if (!none) return one
  const isPlain = forms.length === 2 && none.type === 'null' && typeof one.type === 'string' && !one.enum
  return isPlain ? { ...one, type: [one.type, 'null'] } : { anyOf: forms }
}

function ofObject(type: ts.Type): Schema {
  const isLoose =
    type.aliasSymbol?.name === 'Wire' || checker.getIndexInfoOfType(type, ts.IndexKind.String) !== undefined
  // A card's token is never shown.
  const fields = checker.getPropertiesOfType(type).filter(({ name }) => name !== 'cc_token')
  const properties = fields.map((field) => {
    const schema = schemaOf(checker.getTypeOfSymbol(field))
    const description = wordsOf(field)
    const own = WHOLE.test(field.name) ? JSON.parse(JSON.stringify(schema).replace('"number"', '"integer"')) : schema
    return [field.name, { ...own, ...(description && { description }) }]
  })
  const required = fields.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional)).map(({ name }) => name)
  return {
    type: 'object',
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...(isLoose ? { additionalProperties: {} } : {}),
  }
}
