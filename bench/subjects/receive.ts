import { join } from 'node:path'
import type { ReceiveResult } from '../programs/receive.ts'
import type { Goal, Measure, Subject } from '../report.ts'
import { root, runProgram } from '../runtimes.ts'
import { sampleOf } from '../sample.ts'

const TABLE = 'Receive a webhook of 1.1 kB'

export const measure: Subject = async ({ quick, say }) => {
  say('node')
  // Short turns: other work of the machine then spoils only a few.
  const given = { rounds: quick ? 500 : 3000, webhooks: 5 }
  const results = await runProgram<ReceiveResult[]>('node', join(root, 'bench/programs/receive.ts'), given)
  const measures = results.map(({ framework, ours, micros }): Measure => {
    const row = ours ? 'edgetill' : 'by hand'
    return { table: TABLE, row, column: framework, unit: 'µs', ...sampleOf(micros), ours }
  })
  const goals = [...new Set(results.map(({ framework }) => framework))].map((framework): Goal => {
    const of = (mine: boolean) => results.find((one) => one.framework === framework && one.ours === mine)?.micros ?? []
    // In each round, both beside each other: a disturbance of both cancels out.
    const ratios = of(true).map((micros, round) => micros / (of(false)[round] ?? Number.NaN))
    const text = `receive on ${framework}: time divided by that of a receiver written by hand`
    return { text, measured: sampleOf(ratios).median, goal: 1.2, unit: '×' }
  })
  return {
    title: 'Receive a webhook',
    notes: [
      'From the first byte of the request to the last one of the response, over a connection on loopback that stays open; server and sender share a process of Node.',
      'The receiver by hand uses the parser that its framework offers, node:crypto for the signature, and JSON.parse: no field is checked. edgetill needs no parser.',
    ],
    chart: { table: TABLE, title: 'Receive a webhook of 1.1 kB on Node (lower is better)' },
    measures,
    goals,
  }
}
