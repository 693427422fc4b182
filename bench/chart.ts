/** A group of bars, such as the contenders on one runtime. */
export interface Group {
  label: string
  bars: { name: string; value: number; ours: boolean }[]
}

const BARS_WIDTH = 400
const VALUE_WIDTH = 90
/** More than a character of this font takes on average. */
const CHARACTER = 7.4
const BAR = 16
const GAP = 6

// Colours for a light and a dark page: the reader's browser chooses.
const STYLE = `text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:16px;font-weight:700}.group{font-weight:700}
.ours{fill:#0b5d3b}.other{fill:#8c959f}.ours-name{font-weight:700}.page{fill:#fff}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ours{fill:#3fb97f}.other{fill:#7d8590}.page{fill:#0d1117}}`

/** Draws groups of horizontal bars as an SVG image. All groups share one scale, which starts at 0. */
export function barChart(title: string, unit: string, groups: readonly Group[]): string {
  const largest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)))
  const longest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ name }) => name.length)))
  const left = Math.round(20 + longest * CHARACTER)
  const width = left + BARS_WIDTH + VALUE_WIDTH
  const parts: string[] = []
  let y = 34
  for (const { label, bars } of groups) {
    y += 22
    parts.push(`<text class="group" x="12" y="${y}">${escaped(label)}</text>`)
    y += 8
    for (const { name, value, ours } of bars) {
      const length = Math.max(1, Math.round((value / largest) * BARS_WIDTH))
      const baseline = y + BAR - 4
      parts.push(
        `<text${ours ? ' class="ours-name"' : ''} x="${left - 8}" y="${baseline}" text-anchor="end">${escaped(name)}</text>`,
        `<rect class="${ours ? 'ours' : 'other'}" x="${left}" y="${y}" width="${length}" height="${BAR}"/>`,
        `<text x="${left + length + 6}" y="${baseline}">${figure(value)} ${escaped(unit)}</text>`,
      )
      y += BAR + GAP
    }
  }
  const height = y + 12
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<rect class="page" width="${width}" height="${height}"/>
<text class="title" x="12" y="26">${escaped(title)}</text>
${parts.join('\n')}
</svg>
`
}

/** A number with three significant digits at least. */
export function figure(value: number): string {
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
