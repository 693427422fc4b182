import type { ParameterTable } from '../spec/parameters.ts'
import type { Rules } from '../spec/rules.ts'
import type { RequestNotes } from './notes.ts'

type Body = Record<string, unknown>

interface Tolerance {
  notes: RequestNotes
  /** PHP clients send amounts as text to the endpoints that the API document does not show. */
  textAmounts?: boolean
  /** Whether a missing parameter has its own note: an empty one needs no second note. */
  noted?: (name: string) => boolean
}

/**
 * Prepares a request for its checks: public clients send more than the API document shows, and each such value is taken
 * with a note. An empty amount is not taken as missing, which would move all that is left. Null is: clients send it.
 */
export function tolerate(rules: Rules, table: ParameterTable, body: Body, tolerance: Tolerance): Body {
  const { notes, textAmounts = false, noted = () => false } = tolerance
  const taken: Body = { ...body }
  for (const [name, { type, required, absent }] of Object.entries(table)) {
    const value = body[name]
    if (value === null && absent !== undefined) notes.add(name, `${name} is null: ${absent}.`)
    if (value === '' && !required && type !== 'text' && type !== 'amount') {
      delete taken[name]
      if (!noted(name)) notes.add(name, `${name} is empty; it counts as missing here.`)
    }
    if (textAmounts && type === 'amount') taken[name] = numberOf(name, value, notes)
    if (textAmounts && type === 'split' && Array.isArray(value)) {
      taken[name] = value.map((part: unknown, index) => {
        if (rules.types.json(part) !== undefined) return part
        const { amount, ...rest } = part as Body
        return { ...rest, amount: numberOf(`${name}[${index}].amount`, amount, notes) }
      })
    }
    if (type === 'recurring' && rules.types.json(value) === undefined) {
      taken[name] = tolerate(rules, rules.parameters.recurring, value as Body, { notes })
    }
    if (/^(server|notification)_url$/.test(name)) notePort(name, value, notes)
  }
  return taken
}

function numberOf(name: string, value: unknown, notes: RequestNotes): unknown {
  // A shop's DECIMAL(15,5) sends `30.10000`.
  if (typeof value !== 'string' || !/^\d+(\.\d{1,2}0*)?$/.test(value)) return value
  notes.add(name, `${name} is text; the API document's amounts are numbers.`)
  return Number(value)
}

const PRIVATE =
  /^(\[.*\]|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|[^.]+|.*\.(localhost|local|internal|test))$/

/** "Ports used: normally 443 and 8443". A local address is not meant for the service anyway. */
function notePort(name: string, value: unknown, notes: RequestNotes): void {
  if (typeof value !== 'string' || !URL.canParse(value)) return
  const { hostname, port, protocol } = new URL(value)
  const used = port === '' ? { 'http:': '80', 'https:': '443' }[protocol] : port
  if (used === undefined || used === '443' || used === '8443' || PRIVATE.test(hostname)) return
  notes.add(name, `${name} has port ${used}; the service normally uses 443 and 8443.`)
}
