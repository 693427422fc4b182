import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { OPERATIONS } from '../support/operations.ts'
import { root } from './support/runtimes.ts'

// What an editor shows when one points at a method of the client. `npm run check` compares it with the function's docstring.

const NAMES = Object.keys(OPERATIONS)
const FILE = join(root, 'test/node/client-docs-program.ts')
const CALLS = ['hosted', 'direct', 'any'].map((form) => `client.createPayment(${form}`)
CALLS.push(...['hostedSplit', 'directSplit'].map((form) => `client.createSplitPurchase(${form}`))
const PROGRAM = `import * as sdk from '../../src/index.ts'
declare const client: sdk.Client
declare const hosted: sdk.HostedPurchaseInput
declare const direct: sdk.DirectPurchaseInput
declare const any: sdk.CreatePaymentInput
declare const hostedSplit: sdk.HostedSplitPurchaseInput
declare const directSplit: sdk.DirectSplitPurchaseInput
${CALLS.join(')\n')})
client.createPayment({ ...hosted, amount: '10' })
client.createPayment({ ...hosted, method: 'auth', init_recurring: { interval_unit: 'day', interval_count: 1 } })
sdk.createSplitPurchase({} as sdk.ClientConfig, { ...directSplit, ammount: 1 })
${NAMES.map((name) => `client.${name}; sdk.${name}`).join('\n')}
`

const service = ts.createLanguageService({
  getCompilationSettings: () => ({
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    types: [],
  }),
  getScriptFileNames: () => [FILE],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = name === FILE ? PROGRAM : ts.sys.readFile(name)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => name === FILE || ts.sys.fileExists(name),
  readFile: ts.sys.readFile,
})

function shown(text: string): { summary: string; tags: string[]; example: string } {
  const info = service.getQuickInfoAtPosition(FILE, PROGRAM.indexOf(text) + text.length - 1)
  const tags = (info?.tags ?? []).map(({ name, text: parts }) => `${name} ${ts.displayPartsToString(parts)}`)
  return {
    // TypeScript writes `{@link Checkout }` where the name is imported.
    summary: ts.displayPartsToString(info?.documentation).replaceAll(' }', '}'),
    tags: tags.filter((tag) => !/^(example|param config)/.test(tag)),
    example: tags.find((tag) => tag.startsWith('example')) ?? '',
  }
}

describe.each(NAMES)('pointing at client.%s', (name) => {
  const method = shown(`client.${name};`.slice(0, -1))

  it('shows verb and path, every error, the source and an example with the client', () => {
    if (name !== 'rawRequest') expect(method.summary).toMatch(/(GET|POST|PUT) \{(base|api)_url\}\/api\/v1\//)
    const all = method.tags.join('\n')
    for (const error of ['InvalidInputError', 'ConfigError', 'ConnectionError', 'ApiError']) {
      expect(all).toContain(`throws {${error}}`)
    }
    expect(all).toMatch(/throws \{(OutcomeUnknownError|UnexpectedResponseError)\}/)
    expect(all).toMatch(/^see /m)
    expect(all).toMatch(/^param options/m)
    expect(method.example).toContain(`client.${name}(`)
  })
})

it.each(CALLS)('pointing at a call shows the same for each form: %s)', (text) => {
  const name = text.slice(0, text.indexOf('('))
  const { summary, tags } = shown(name)
  const info = service.getQuickInfoAtPosition(FILE, PROGRAM.indexOf(text) + name.length - 1)
  expect(ts.displayPartsToString(info?.documentation).replaceAll(' }', '}')).toBe(summary)
  expect(info?.tags?.length).toBe(tags.length + 1)
})

it('a mistake in a form is reported once, at the field, for that form alone', () => {
  const messages = service.getSemanticDiagnostics(FILE).map(({ start, messageText }) => {
    return `${PROGRAM.slice(start).match(/^\w+/)?.[0]}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
  expect(messages).toEqual([
    "amount: Type 'string' is not assignable to type 'number'.",
    "init_recurring: Type '{ interval_unit: string; interval_count: number; }' is not assignable to type 'undefined'.",
    expect.stringMatching(/^ammount: .*Did you mean to write 'amount'\?$/),
  ])
})
