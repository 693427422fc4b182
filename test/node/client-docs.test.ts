import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OPERATIONS } from '../support/operations.ts'
import { complaintsOf, optionsFor, programOf } from './support/program.ts'
import { root } from './support/runtimes.ts'

// The docstring that an editor shows for a method of the client. `npm run check` compares it with the function's docstring.

const METHODS = [
  ...readFileSync(join(root, 'src/client/client-methods.ts'), 'utf8').matchAll(
    /\/\*\*\n((?: {3}\* ?.*\n)+?) {3}\*\/\n {2}(\w+)/g,
  ),
].map(([, docs = '', name = '']) => ({ name, docs }))

it('there is a docstring for every operation', () => {
  expect(METHODS.map(({ name }) => name).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted())
})

it.each(METHODS)(
  '$name shows verb and path, every error, the source and an example with the client',
  ({ name, docs }) => {
    if (name !== 'rawRequest') expect(docs).toMatch(/`(GET|POST|PUT) \{(base|api)_url\}\/api\/v1\//)
    for (const error of ['InvalidInputError', 'ConfigError', 'ConnectionError', 'ApiError'])
      expect(docs).toContain(`@throws {${error}}`)
    expect(docs).toMatch(/@throws \{(OutcomeUnknownError|UnexpectedResponseError)\}/)
    for (const tag of ['@see ', '@param options ']) expect(docs).toContain(tag)
    expect(docs.split('@example')[1]).toContain(`client.${name}(`)
  },
)

it('a mistake in a form is reported once, for that form alone', () => {
  const file = join(root, 'test/node/mistakes.ts')
  const code = `import * as sdk from '../../src/index.ts'
declare const client: sdk.Client
declare const hosted: sdk.HostedPurchaseInput
declare const split: sdk.DirectSplitPurchaseInput
client.createPayment({ ...hosted, amount: '10' })
client.createPayment({ ...hosted, method: 'auth', init_recurring: { interval_unit: 'day', interval_count: 1 } })
sdk.createSplitPurchase({} as sdk.ClientConfig, { ...split, ammount: 1 })`
  const options = {
    ...optionsFor('bundler', ['lib.es2022.d.ts', 'lib.dom.d.ts']),
    allowImportingTsExtensions: true,
    // As most projects have it.
    exactOptionalPropertyTypes: false,
  }
  expect(complaintsOf(programOf(new Map([[file, code]]), options), file)).toEqual([
    "Type 'string' is not assignable to type 'number'.",
    "Type '{ interval_unit: string; interval_count: number; }' is not assignable to type 'undefined'.",
    expect.stringMatching(/'ammount' does not exist.*Did you mean to write 'amount'\?$/),
  ])
})
