// Visits every state of a scenario.

import { decided, firstWorld, type Protocol, type Scenario, successors, violated, type World } from './model.ts'

export interface Explored {
  states: number
  steps: number
  /** The rule that was violated, and the shortest way there. */
  violation?: { rule: string; trace: string[] }
}

/** The driver of the protocol, and the events around it. */
export interface Machine<W extends object, S> {
  firstWorld(scenario: S): W
  successors(world: W, scenario: S): Iterable<[string, W]>
  /** Decides where something is to be decided, which takes no time. */
  decided(world: W, protocol: Protocol, scenario: S): [W, string[]]
  violated(world: W): string | undefined
}

/** The protocol of one order's money. */
export const ORDER: Machine<World, Scenario> = { firstWorld, successors, decided, violated }

/** Visits every state of a scenario, the nearest first. @param see Called with each step: the world before it and after it. */
export function explore<W extends object, S>(
  scenario: S,
  protocol: Protocol,
  { firstWorld, successors, decided, violated }: Machine<W, S>,
  see?: (before: W, after: W) => void,
): Explored {
  // A state is known by its key; where it came from, by its number.
  const first = firstWorld(scenario)
  const seen = new Map<string, number>([[keyOf(first), 0]])
  const from = [-1]
  const labels = ['']
  let layer: [number, W][] = [[0, first]]
  let steps = 0
  while (layer.length > 0) {
    const next: [number, W][] = []
    for (const [number, world] of layer) {
      for (const [does, reached] of successors(world, scenario)) {
        steps++
        const [after, then] = decided(reached, protocol, scenario)
        see?.(world, reached)
        see?.(reached, after)
        const key = keyOf(after)
        if (seen.has(key)) continue
        const found = from.push(number) - 1
        labels.push([does, ...then].join(', '))
        seen.set(key, found)
        const rule = violated(after)
        if (rule === undefined) next.push([found, after])
        else return { states: seen.size, steps, violation: { rule, trace: traceTo(found) } }
      }
    }
    layer = next
  }
  return { states: seen.size, steps }

  function traceTo(number: number): string[] {
    const trace: string[] = []
    for (let at = number; at > 0; at = from[at] as number) trace.unshift(labels[at] as string)
    return trace
  }
}

const keyOf = ({ run, ...world }: { run?: object }): string =>
  [...Object.entries(world), ...Object.entries(run ?? {})].map(([name, part]) => name + numberOf(part)).join()

/** Worlds share what they did not change: each part is written out once, and known by its number. */
const numbers = new Map<string, number>()
const numbered = new WeakMap<object, number>()
function numberOf(part: unknown): number {
  const isObject = typeof part === 'object' && part !== null
  const known = isObject ? numbered.get(part) : undefined
  if (known !== undefined) return known
  const text = String(JSON.stringify(part))
  const number = numbers.get(text) ?? numbers.size
  numbers.set(text, number)
  if (isObject) numbered.set(part, number)
  return number
}
