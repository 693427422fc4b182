// The forms in which programs write the same JSON: re-encoding loses the signed form.

interface Style {
  indent: string
  comma: string
  colon: string
  /** Digits behind the point of a number: as many as it has, at least one, or two. */
  decimals: 0 | 1 | 2
  unicode: 'as it is' | 'lower' | 'upper'
  slash: string
}

const SPACING = [
  { indent: '', comma: ',', colon: ':' },
  { indent: '', comma: ', ', colon: ': ' },
  { indent: '  ', comma: ',', colon: ': ' },
  { indent: '    ', comma: ',', colon: ': ' },
  { indent: '\t', comma: ',', colon: ': ' },
]

/**
 * A JSON value as other programs write it: compact, spaced, indented, with escaped slashes or letters, with decimals.
 */
export function* jsonTexts(value: unknown): Generator<string> {
  const seen = new Set<string>()
  for (const spacing of SPACING)
    for (const decimals of [0, 1, 2] as const)
      for (const unicode of ['as it is', 'lower', 'upper'] as const)
        for (const slash of ['/', '\\/']) {
          const text = write(value, { ...spacing, decimals, unicode, slash }, '\n')
          if (!seen.has(text)) yield text
          seen.add(text)
        }
}

function write(value: unknown, style: Style, line: string): string {
  if (typeof value === 'string') return writeText(value, style)
  if (typeof value === 'number') return writeNumber(value, style)
  if (value === null || typeof value !== 'object') return String(value)
  const inner = line + style.indent
  const parts = Array.isArray(value)
    ? value.map((one) => write(one, style, inner))
    : Object.entries(value).map(([name, member]) => writeText(name, style) + style.colon + write(member, style, inner))
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (parts.length === 0 || style.indent === '') return open + parts.join(style.comma) + close
  return open + inner + parts.join(style.comma + inner) + line + close
}

function writeNumber(value: number, { decimals }: Style): string {
  const text = JSON.stringify(value)
  const digits = /^-?\d+(?:\.(\d+))?$/.exec(text)
  const missing = digits ? decimals - (digits[1]?.length ?? 0) : 0
  if (missing <= 0) return text
  return `${text}${digits?.[1] === undefined ? '.' : ''}${'0'.repeat(missing)}`
}

function writeText(text: string, { unicode, slash }: Style): string {
  const json = JSON.stringify(text).replaceAll('/', slash)
  if (unicode === 'as it is') return json
  const hex = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0')
  const code = unicode === 'upper' ? (unit: string) => hex(unit).toUpperCase() : hex
  return json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${code(unit)}`)
}
