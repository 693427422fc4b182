// Writes the model into guides/money-moves-once.md: an operation’s life, drawn from the steps that were explored, and the counts.

import { readFileSync, writeFileSync } from 'node:fs'
import type { Explored } from './explore.ts'
import type { World } from './model.ts'
import type { Slip } from './slips.ts'

const GUIDE = new URL('../../guides/money-moves-once.md', import.meta.url)
const MARKS = ['<!-- written by npm run model -- --update -->\n', '<!-- end -->\n'] as const

/** The states of an operation, and what leads from one to the next. */
export class Life {
  private readonly edges = new Map<string, Set<string>>()

  see(before: World, after: World): void {
    for (const { id } of after.disk) {
      const [from, to] = [stateOf(before, id), stateOf(after, id)]
      if (from === to) continue
      const edge = `${from ?? '[*]'} --> ${to}`
      const causes = this.edges.get(edge) ?? new Set()
      this.edges.set(edge, causes.add(causeOf(before, from, to)))
    }
  }

  diagram(): string {
    const lines = [...this.edges].map(([edge, causes]) => `  ${edge}: ${[...causes].sort().join(' / ')}\n`)
    return `\`\`\`mermaid\nstateDiagram-v2\n${lines.sort().join('')}\`\`\`\n`
  }
}

function stateOf({ disk, run }: World, id: string): string | undefined {
  const operation = disk.find((one) => one.id === id)
  if (!operation || operation.outcome) return operation?.outcome
  const responded = [run?.message, ...(run?.messages ?? [])].some((one) => one?.type === 'responded' && one.id === id)
  return run?.awaits === id || responded ? 'sent' : 'recorded'
}

function causeOf({ run }: World, from: string | undefined, to: string | undefined): string {
  if (from === undefined) return 'it is stored'
  if (to === 'sent') return 'the call is made'
  if (to === 'recorded') return run?.awaits === undefined ? 'its end cannot be stored' : 'the worker dies'
  switch (run?.message?.type) {
    case 'responded':
      return 'the response'
    case 'looked_up':
      return to === 'done' ? 'the service shows it' : 'the service does not show it'
    case 'by_hand':
      return 'a person settles it'
    default:
      return 'an event shows it'
  }
}

export const scenarioRow = ({ name }: { name: string }, { states, steps, violation }: Explored): string =>
  `| ${name} | ${number(states)} | ${number(steps)} | ${violation?.rule ?? 'none'} |\n`

export const slipRow = ([rule]: Slip, found: Explored['violation']): string =>
  `| ${rule} | ${found?.rule ?? 'NOT FOUND'} | ${found?.trace.length ?? 0} |\n`

const number = (value: number): string => value.toLocaleString('en-US')

/** The part of the guide that is written by a run. */
export function generated(life: Life, rows: readonly string[], slips: readonly string[]): string {
  return [
    `\n${life.diagram()}\n`,
    `| scenario | states | steps | violated |\n| --- | --- | --- | --- |\n${rows.join('')}\n`,
    `| without the rule | violated | steps to it |\n| --- | --- | --- |\n${slips.join('')}\n`,
  ].join('')
}

/** The guide: before that part, the part, and after it. */
export function guide(): [before: string, generated: string, after: string] {
  const text = readFileSync(GUIDE, 'utf8')
  const [begin, end] = [text.indexOf(MARKS[0]) + MARKS[0].length, text.indexOf(MARKS[1])]
  return [text.slice(0, begin), text.slice(begin, end), text.slice(end)]
}

export const writeGuide = (...parts: string[]): void => writeFileSync(GUIDE, parts.join(''))
