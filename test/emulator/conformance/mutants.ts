import { assemble } from '../../../src/emulator/emulator.ts'
import type { Fault } from '../../../src/emulator/index.ts'
import { RULES, type Rules } from '../../../src/emulator/spec/rules.ts'
import type { Create } from './row.ts'

/** One emulator rule, broken on purpose. */
export interface Mutant {
  /** Where in the rules: `parameters.capture.order_id.max`. */
  path: string
  /** The acts on it. */
  change: string
  create: Create
}

type Node = Record<string, unknown>

/** Every rule of the emulator broken in every way that its kind allows, one at a time. */
export function mutants(): Mutant[] {
  return [...leavesOf(RULES as unknown as Node, []).flatMap(breakLeaf), ...faulty()]
}

interface Leaf {
  path: string[]
  value: unknown
}

function leavesOf(node: Node, path: string[]): Leaf[] {
  return Object.entries(node).flatMap(([key, value]): Leaf[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leavesOf(value as Node, [...path, key])
      : [{ path: [...path, key], value }],
  )
}

function breakLeaf({ path, value }: Leaf): Mutant[] {
  const broken = (change: string, instead: unknown): Mutant => ({
    path: path.join('.'),
    change,
    create: (options = {}) => assemble(options, replace(path, instead)),
  })
  if (typeof value === 'boolean') return [broken(`${!value}`, !value)]
  if (typeof value === 'number') return [broken('one more', value + 1), broken('one less', value - 1)]
  if (Array.isArray(value)) {
    return value.map((entry, index) => broken(`without ${String(entry)}`, value.toSpliced(index, 1)))
  }
  if (typeof value === 'function') return breakFunction(path, broken)
  const last = path.at(-1) ?? ''
  // The words of a note, which test/emulator/all-that-is-left.test.ts has: no sentence of the API document says them.
  if (last === 'absent') return []
  // A parameter of any type at all: its check is gone.
  if (last === 'type') return [broken('anything', 'anything')]
  if (last === 'scheme') return [broken('the other scheme', value === 'hmac' ? 'plain' : 'hmac')]
  if (last === 'base') return [broken('the other address', value === 'base_url' ? 'api_url' : 'base_url')]
  if (last === 'verb' || last === 'webhookVerb') return [broken('another verb', value === 'POST' ? 'PUT' : 'POST')]
  return [broken('another text', `${String(value)}x`)]
}

function breakFunction(path: string[], broken: (change: string, instead: unknown) => Mutant): Mutant[] {
  const [group] = path
  if (group === 'types') {
    return [broken('allows everything', () => undefined), broken('allows nothing', () => 'is refused on purpose')]
  }
  if (group === 'destinations') {
    return [
      broken('ignores the request', (_asked: unknown, standing: unknown) => standing),
      broken('ignores the default', (asked: unknown) => asked),
    ]
  }
  return [broken('always holds', () => true), broken('never holds', () => false)]
}

/** Wrong contents and signatures are broken rules too: the faults that change what the document fixes, at every occasion. */
function faulty(): Mutant[] {
  const faults: Fault[] = [
    { kind: 'corrupt_signature' },
    { kind: 'numbers_as_strings' },
    { kind: 'numbers_as_strings', on: 'create-payment' },
    { kind: 'numbers_as_strings', on: 'create-split-purchase' },
    { kind: 'numbers_as_strings', on: 'capture-payment' },
    { kind: 'numbers_as_strings', on: 'list-accounts' },
    { kind: 'null_fee' },
    { kind: 'unknown_status' },
    { kind: 'unknown_method' },
    { kind: 'unknown_status', on: 'create-payment' },
    { kind: 'drop' },
    { kind: 'delay', ms: 1 },
    { kind: 'reset', when: 'before_commit', on: 'cancel-payment' },
    { kind: 'server_error', on: 'get-account' },
  ]
  return faults.map((fault) => ({
    path: `faults.${fault.kind}${fault.on === undefined ? '' : `.${fault.on}`}`,
    change: 'always',
    create: (options = {}) => {
      const emulator = assemble(options, RULES)
      emulator.faults.rate(fault, 1)
      return emulator
    },
  }))
}

/** The rules with one leaf replaced; `anything` is known as a type that checks nothing. */
function replace(path: string[], instead: unknown): Rules {
  const [key = '', ...rest] = path
  const copy = (node: Node, name: string, names: string[]): Node => {
    const [next, ...others] = names
    return { ...node, [name]: next === undefined ? instead : copy(node[name] as Node, next, others) }
  }
  const rules = copy(RULES as unknown as Node, key, rest) as unknown as Rules
  return { ...rules, types: { ...rules.types, anything: () => undefined } as Rules['types'] }
}
