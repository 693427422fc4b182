import { type Colour, printable, type Terminal } from './terminal.ts'

export type Cell = string | { text: string; colour: Colour }

/** Columns for people: a line of titles, then the rows. `right` names the columns that hold numbers. */
export function table(terminal: Terminal, titles: string[], rows: Cell[][], right: readonly number[] = []): string {
  const all = [titles.map((text): Cell => ({ text, colour: 'dim' })), ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => [...textOf(row[column])].length)))
  const aligned = (cell: Cell, column: number): string => {
    const text = textOf(cell)
    const space = ' '.repeat((widths[column] ?? 0) - [...text].length)
    const painted = typeof cell === 'string' ? text : terminal.paint(cell.colour, text)
    return right.includes(column) ? space + painted : painted + space
  }
  return all.map((row) => row.map(aligned).join('  ').trimEnd()).join('\n')
}

const textOf = (cell: Cell = ''): string => printable(typeof cell === 'object' ? cell.text : cell)

/** Names and values below each other; names without a value are left out. */
export function list(entries: [name: string, value: string | undefined][]): string {
  const shown = entries.filter(([, value]) => value !== undefined && value !== '')
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value = '']) => `  ${name.padEnd(width)}  ${printable(value)}`).join('\n')
}

export const statusColour = (status: string | null | undefined): Colour =>
  status === 'success' ? 'green' : status === 'failure' ? 'red' : 'yellow'

/** `80.25 UAH` */
export const money = (amount: number | null | undefined, currency: string | null | undefined): string =>
  amount == null ? '-' : `${amount.toFixed(2)}${currency ? ` ${currency}` : ''}`
