import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VERBS } from '../../src/cli/commands/verbs.ts'
import { CAUSES as FORM_CAUSES } from '../../src/cli/webhooks/verify/causes.ts'
import { OPERATIONS as CONTROL } from '../../src/emulator/control/operations.ts'
import { FAULT_KINDS } from '../../src/emulator/faults/fault.ts'
import { createApp } from '../../src/shop/app.ts'
import { carryOver } from '../../src/shop/routes/carry-over.ts'
import { CAUSES } from '../../src/testing/prove/causes.ts'
import { OPERATIONS } from '../support/operations.ts'
import { Document, quoted } from './support/document.ts'
import { root } from './support/runtimes.ts'

/** The names that a pattern finds in a declaration of a source file. */
function namesIn(file: string, declaration: string, name: RegExp): string[] {
  const [, text = ''] = readFileSync(join(root, file), 'utf8').split(declaration)
  return [...(text.split(/\n\}|\n\n/)[0] ?? '').matchAll(name)].map(([, found]) => found as string)
}
const bindings = (file: string, declaration: string) => namesIn(file, declaration, /^ {2}([A-Z_]+)\??:/gm)
const filesIn = (folder: string) => readdirSync(join(root, folder)).filter((file) => file.endsWith('.ts'))

const first = ([cell = '']: string[]) => quoted(cell)
const second = ([, cell = '']: string[]) => quoted(cell)
const firstWords = (cells: string[]) => first(cells).map((text) => /^\w+(-\w+)*/.exec(text)?.[0] ?? '')
const routesIn = ([cell = '']: string[]) =>
  [...cell.matchAll(/`(\w+) ([^`?]+)/g)].map(([, verb, path]) => `${verb} ${path}`)

const SHOP = 'guides/shop-reference.md'
const WORD = /'(\w+)'/g
const variables = () => [
  ...bindings('src/shop/env.ts', 'interface ShopEnv {'),
  ...bindings('worker/env.ts', 'interface Env extends ShopEnv {'),
]
const routes = () => [
  ...new Set(
    createApp({ now: Date.now, carryOver: carryOver as never })
      // Each has a twin with a slash at its end; some payment pages post their form to the result page.
      .routes.map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`)
      .filter((route) => !/^ALL|^POST \/return/.test(route)),
  ),
]

/** Tables, and the names that they have to have. */
const TABLES: [document: string, section: string, namedIn: (cells: string[]) => string[], known: () => string[]][] = [
  ['README.md', 'Endpoints', ([cell = '']) => [/^`(\w+)\(/.exec(cell)?.[1] ?? ''], () => Object.keys(OPERATIONS)],
  ['README.md', 'Errors', first, () => namesIn('src/errors.ts', 'type ErrorCode =', WORD)],
  [
    'guides/errors.md',
    'Why a webhook was rejected',
    first,
    () => namesIn('src/errors.ts', 'type WebhookRejection =', WORD),
  ],
  ['guides/emulator.md', 'Faults', second, () => [...FAULT_KINDS]],
  ['guides/prove.md', 'Causes', first, () => Object.keys(CAUSES)],
  ['guides/command-line.md', 'The verbs', firstWords, () => Object.keys(VERBS)],
  ['guides/command-line.md', 'Webhooks', first, () => Object.keys(FORM_CAUSES)],
  [
    'examples/README.md',
    'Examples',
    ([cell = '']) => [/\((.+)\)/.exec(cell)?.[1] ?? ''],
    () => filesIn('examples').filter((file) => file !== 'settings.ts'),
  ],
  [SHOP, 'Variables', first, variables],
  [SHOP, 'An order', first, () => namesIn('src/orders/order.ts', 'type OrderFlag =', WORD)],
  [SHOP, 'Alerts', first, () => namesIn('src/shop/options.ts', 'type AlertKind =', /^ {2}\| '(\w+)'/gm)],
  [SHOP, 'Routes', routesIn, routes],
]

it.each(TABLES)('%s, "%s", names what there is, once each', (document, section, namedIn, known) => {
  const named = new Document(document).rows(section).flatMap(namedIn)
  expect(known().length).toBeGreaterThan(5)
  expect(named.toSorted()).toEqual(known().toSorted())
})

it('guides/emulator.md shows every operation of the control API, with an example that it accepts', () => {
  const shown = new Document('guides/emulator.md').rows('Control it').map(([cell = '']) => {
    const [, method, name] = /`(GET|POST|DELETE) \/_emulator\/api\/(\w+)`/.exec(cell) ?? []
    const [, example = ''] = quoted(cell)
    return { method, name, example: method === 'POST' ? JSON.parse(example) : example }
  })
  expect(shown).toHaveLength(CONTROL.length)
  expect(shown).toEqual(expect.arrayContaining(CONTROL.map(({ method, name, example }) => ({ method, name, example }))))
})

it('worker/README.md names every file of the template', () => {
  const shown = new Document('worker/README.md').rows('Start').flatMap(first)
  expect(shown).toEqual(expect.arrayContaining(filesIn('worker').map((file) => `worker/${file}`)))
})

describe('CONTRIBUTING.md', () => {
  const contributing = new Document('CONTRIBUTING.md')

  it('names only paths that exist', () => {
    const words = quoted(contributing.text).flatMap((text) => text.split(' '))
    const paths = words.filter((word) => /^\.?[\w-]+\/|^[\w.-]+\.(ts|md|json|toml)$/.test(word))
    expect(paths.length).toBeGreaterThan(30)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('leads from each of eleven tasks to files', () => {
    const tasks = contributing.rows('I want to …')
    expect(tasks.map(([, files = '']) => quoted(files).length > 0)).toEqual(Array(11).fill(true))
  })

  it('is one page', () => {
    expect(contributing.text.split('\n').length).toBeLessThanOrEqual(100)
  })
})
