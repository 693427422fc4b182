import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { barChart, figure, type Group } from './chart.ts'
import { type Machine, machineText } from './machine.ts'
import { type Measure, type Report, toMarkdown } from './report.ts'
import { root } from './runtimes.ts'

/** The last run of a subject, as it is committed in bench/results.json. */
export interface Result {
  machine: Machine
  quick: boolean
  report: Report
}
export type Results = Record<string, Result>

const FILE = join(root, 'bench/results.json')
const DOCUMENT = 'bench/README.md'

export const readResults = (): Results => JSON.parse(readFileSync(FILE, 'utf8')) as Results

/** Replaces the results of some subjects, and writes the charts and bench/README.md. */
export function saveResults(changed: Results): void {
  const results: Results = { ...readResults(), ...changed }
  writeFileSync(FILE, `${JSON.stringify(results, rounded, 1)}\n`)
  mkdirSync(join(root, 'bench/charts'), { recursive: true })
  for (const [file, text] of Object.entries(documents(readResults()))) writeFileSync(join(root, file), text)
}

/** Four digits are more than any figure is worth. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(4)) : value

/** Every file that shows the results, by its path, with the text that it has to have. */
export function documents(results: Results): Record<string, string> {
  const charts = Object.entries(results).map(([subject, { report }]) => [
    `bench/charts/${subject}.svg`,
    chartOf(report),
  ])
  return {
    ...Object.fromEntries(charts),
    [DOCUMENT]: replaced(
      replaced(readFileSync(join(root, DOCUMENT), 'utf8'), 'summary', summary(results)),
      'bench',
      Object.entries(results).map(sectionOf).join('\n'),
    ),
  }
}

/** A document with new text between its two marks. */
function replaced(document: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const [from, to] = [document.indexOf(start), document.indexOf(end)]
  if (from < 0 || to < 0) throw new Error(`${DOCUMENT} has no ${start.trim()} … ${end}.`)
  return document.slice(0, from + start.length) + text + document.slice(to)
}

function sectionOf([subject, { machine, quick, report }]: [string, Result]): string {
  const run = `${quick ? 'Quick run' : 'Run'} of ${machineText(machine)}.`
  return `## ${report.title}\n\n![${report.chart.title}](charts/${subject}.svg)\n\n${run}\n\n${toMarkdown(report)}`
}

function chartOf({ chart, measures }: Report): string {
  const shown = measures.filter(
    ({ table, difference, unit }) => table === chart.table && !difference && unit !== 'count',
  )
  const groups = [...new Set(shown.map(({ column }) => column))].map((column): Group => {
    const cells = shown.filter((measure) => measure.column === column)
    return {
      label: column,
      bars: cells.map(({ row, median, ours }) => ({ name: row, value: median, ours: ours ?? false })),
    }
  })
  return barChart(chart.title, shown[0]?.unit ?? '', groups)
}

/** The table in one look: a few cells, each as bench/README.md has it. */
const COLUMNS: Record<string, string[]> = {
  edgetill: ['edgetill'],
  stripe: ['stripe', 'stripe constructEventAsync'],
  paddle: ['paddle', 'paddle isSignatureValid'],
  standardwebhooks: ['standardwebhooks'],
  svix: ['svix'],
}
const ROWS: [title: string, subject: string, table: string | undefined, column: string][] = [
  ['verify a webhook of 1.1 kB on Node', 'verify', 'Verify 1.1 kB of data', 'node'],
  ['the same on Deno', 'verify', 'Verify 1.1 kB of data', 'deno'],
  ['bundle to verify a webhook', 'size', undefined, 'verify a webhook'],
  ['bundle of the whole client', 'size', undefined, 'whole client'],
]

function summary(results: Results): string {
  const cells = (subject: string, table: string | undefined, column: string) =>
    (results[subject]?.report.measures ?? []).filter(
      (measure) => measure.column === column && (table === undefined || measure.table === table),
    )
  const cell = (found: Measure | undefined) => (found ? `${figure(found.median)} ${found.unit}` : '–')
  const lines = ROWS.map(([title, subject, table, column]) => {
    const row = cells(subject, table, column)
    const values = Object.values(COLUMNS).map((names) => cell(row.find((measure) => names.includes(measure.row))))
    return `| ${title} | ${values.join(' | ')} |`
  })
  const head = `| ${results.verify?.machine.date ?? ''} | ${Object.keys(COLUMNS).join(' | ')} |`
  return [head, `| --- |${' ---: |'.repeat(Object.keys(COLUMNS).length)}`, ...lines, ''].join('\n')
}
