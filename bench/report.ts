import { figure } from './chart.ts'
import { isMet, reasonOf } from './missed.ts'
import type { Sample } from './sample.ts'

/** One cell of a table. */
export interface Measure extends Sample {
  /** Title of the table it belongs to. */
  table: string
  row: string
  column: string
  unit: 'µs' | 'ms' | 'bytes' | 'kB' | '/s' | 'count'
  /** Whether it is edgetill's: the ratios of the others are to it. */
  ours?: boolean
  /** Whether it is a package that could be used instead, not a lower bound or a part of something. */
  peer?: boolean
  /** Whether it is the difference of two rows: it is shown with its quartiles, because it may be near 0. */
  difference?: boolean
}

/** A goal is reported and never fails a run. */
export interface Goal {
  text: string
  measured: number
  goal: number
  unit: '×' | 'kB' | 'µs' | '%'
  /** Whether more is better. */
  atLeast?: boolean
}

/** The figures of a subject. */
export interface Report {
  /** Heading of its tables. */
  title: string
  /** The meaning of the figures, one line each. */
  notes: string[]
  /** The table that is drawn as a chart. */
  chart: { table: string; title: string }
  measures: Measure[]
  goals: Goal[]
}

/** Options of a run, as a subject sees them. */
export interface BenchOptions {
  /** Fewer and shorter rounds: the whole bench takes under two minutes. */
  quick: boolean
  /** Reports progress. */
  say: (text: string) => void
}

export type Subject = (options: BenchOptions) => Promise<Report>

/** Prints a report as Markdown. */
export function toMarkdown({ notes, measures, goals }: Report): string {
  const lines = [...notes.map((note) => `- ${note}`), '']
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
    lines.push('| goal | limit | measured | |', '| --- | ---: | ---: | --- |')
    for (const goal of goals) {
      const met = isMet(goal)
      const limit = `${goal.atLeast ? '≥' : '≤'} ${goal.goal}${suffix(goal)}`
      lines.push(`| ${goal.text} | ${limit} | ${figure(goal.measured)}${suffix(goal)} | ${met ? 'met' : 'missed'} |`)
    }
    lines.push('')
    const missed = goals.filter((goal) => !isMet(goal))
    const reasons = new Set(missed.map((goal) => reasonOf(goal) ?? `Not known: ${goal.text}.`))
    if (reasons.size > 0) lines.push('Why goals are missed:', '', ...[...reasons].map((reason) => `- ${reason}`), '')
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
    // A ratio of a difference to a total, or of a negative difference, means nothing.
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
  return `${figure(median)} ${unit}${spread}`
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${figure(Math.abs(value))}`

const ratioText = (ratio: number): string => `${figure(ratio)}×`
