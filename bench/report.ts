import type { Sample } from './sample.ts'

/** One cell of a table. */
export interface Measure extends Sample {
  /** Title of the table it belongs to. */
  table: string
  row: string
  column: string
  unit: 'µs' | 'ms' | 'bytes' | 'kB' | '/s' | 'count'
  /** Whether it is ours: the others' ratios are to it. */
  ours?: boolean
  /** Whether it is a peer that somebody could pick instead, rather than a floor or a part of something. */
  peer?: boolean
  /** Whether it is what one row has more than another: its quartiles are told as they are, for it may be near 0. */
  difference?: boolean
}

/** A goal is reported, and never fails a run. */
export interface Goal {
  text: string
  measured: number
  goal: number
  unit: '×' | 'kB' | 'µs' | '%'
  /** Whether more is better. */
  atLeast?: boolean
}

/** What a subject measured. */
export interface Report {
  subject: string
  /** What the figures mean, line by line. */
  notes: string[]
  measures: Measure[]
  goals: Goal[]
}

/** Options of a run, as a subject sees them. */
export interface BenchOptions {
  /** Fewer and shorter rounds, for the whole bench in under two minutes. */
  quick: boolean
  /** Tells of progress. */
  say: (text: string) => void
}

export type Subject = (options: BenchOptions) => Promise<Report>

/** Prints a report as Markdown. */
export function toMarkdown({ subject, notes, measures, goals }: Report): string {
  const lines = [`## ${subject}`, '', ...notes.map((note) => `- ${note}`), '']
  for (const table of new Set(measures.map((measure) => measure.table))) {
    lines.push(
      ...tableLines(
        table,
        measures.filter((measure) => measure.table === table),
      ),
      '',
    )
  }
  if (goals.length > 0) {
    lines.push('| goal | asked for | measured | |', '| --- | ---: | ---: | --- |')
    for (const goal of goals) {
      const met = goal.atLeast ? goal.measured >= goal.goal : goal.measured <= goal.goal
      const asked = `${goal.atLeast ? '≥' : '≤'} ${goal.goal}${suffix(goal)}`
      lines.push(`| ${goal.text} | ${asked} | ${round(goal.measured)}${suffix(goal)} | ${met ? 'met' : 'missed'} |`)
    }
    lines.push('')
  }
  return lines.join('\n')
}

const suffix = ({ unit }: Goal): string => (unit === '×' ? '×' : ` ${unit}`)

function tableLines(title: string, measures: readonly Measure[]): string[] {
  const columns = [...new Set(measures.map(({ column }) => column))]
  const rows = [...new Set(measures.map(({ row }) => row))]
  const cell = (row: string, column: string): string => {
    const found = measures.find((measure) => measure.row === row && measure.column === column)
    if (!found) return '–'
    const ours = measures.find((measure) => measure.ours && measure.column === column)
    // A difference has no ratio to what is none, and one that the noise made negative has none at all.
    const alike = ours && ours !== found && Boolean(ours.difference) === Boolean(found.difference)
    const ratio = alike && found.median >= 0 ? `, ${ratioText(found.median / ours.median)}` : ''
    return `${amount(found)}${ratio}`
  }
  return [
    `**${title}**`,
    '',
    `| | ${columns.join(' | ')} |`,
    `| --- |${columns.map(() => ' ---: |').join('')}`,
    ...rows.map((row) => {
      const name = measures.some((measure) => measure.row === row && measure.ours) ? `**${row}**` : row
      return `| ${name} | ${columns.map((column) => cell(row, column)).join(' | ')} |`
    }),
  ]
}

function amount({ median, low, high, unit, rounds, difference }: Measure): string {
  if (unit === 'count') return String(Math.round(median))
  if (difference) return `${signed(median)} ${unit} (${signed(low)} … ${signed(high)})`
  const spread =
    rounds > 1 && median > 0 ? ` ±${Math.round((Math.max(high - median, median - low) / median) * 100)} %` : ''
  return `${round(median)} ${unit}${spread}`
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${round(Math.abs(value))}`

const ratioText = (ratio: number): string => `${ratio >= 100 ? Math.round(ratio) : round(ratio)}×`

function round(value: number): string {
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}
