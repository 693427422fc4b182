import type { Activity } from '../../emulator/index.ts'
import { type Colour, printable } from './terminal.ts'

/** Colours a text, or leaves it as it is. */
type Paint = (colour: Colour, text: string) => string

/** The columns of a line: what it ended as, how long it took, what it was, which order, its id, and what explains it. */
interface Line {
  result: string
  colour: Colour
  ms?: number
  what: string
  order?: string | null
  id?: string | null
  more?: string
}

/** One line for people about something that happened in the emulator. */
export function activityLine(activity: Activity, paint: Paint = (_, text) => text): string {
  // With its date: the clock can be moved by months.
  const time = activity.at.slice(5, 19).replace('T', ' ')
  if (activity.type === 'error') {
    return `${time}  ${paint('red', 'internal error')}\n${activity.stack.split('\n').map(printable).join('\n')}`
  }
  const { result, colour, ms, what, order, id, more } = lineOf(activity)
  const duration = (ms === undefined ? '' : `${ms} ms`).padStart(8)
  const shop = activity.shop === undefined ? [] : [activity.shop]
  const rest = [...shop, what.padEnd(28), order ?? '-', ...(id ? [paint('dim', id)] : []), more ?? ''].map(
    keepingColour,
  )
  return `${time}  ${paint(colour, result.padEnd(4))}${duration}  ${rest.join('  ').trimEnd()}`
}

/** Everything but the colours that `paint` has put in is made printable. */
function keepingColour(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of `paint`
  const [, start = '', inner = text, end = ''] = /^(\u001b\[\d+m)(.*)(\u001b\[0m)$/s.exec(text) ?? []
  return start + printable(inner) + end
}

function lineOf(activity: Exclude<Activity, { type: 'error' }>): Line {
  switch (activity.type) {
    case 'request': {
      const { method, path, order_id, status, reason, id, ms } = activity
      const failed = status === null || status >= 400
      const result = status === null ? 'FAIL' : String(status)
      const more = reason ?? (status === null ? 'no response' : (activity.body ?? ''))
      return { result, colour: failed ? 'red' : 'green', ms, what: `${method} ${path}`, order: order_id, id, more }
    }
    case 'webhook': {
      const { method, status, order_id, url, attempt, response, error, retry_at, id, ms } = activity
      const failed = response === null || response < 200 || response > 299
      const again = attempt === 1 ? '' : `, attempt ${attempt}`
      const retry = retry_at === null ? '' : `; next attempt ${retry_at.slice(0, 19)}`
      const cause = error === null ? '' : `: ${error}`
      const result = response === null ? 'FAIL' : String(response)
      const what = `webhook ${method} ${status}`
      const more = `-> ${url}${again}${cause}${retry}`
      return { result, colour: failed ? 'red' : 'green', ms, what, order: order_id, id, more }
    }
    case 'preflight': {
      const { url, response, error } = activity
      const result = response === null ? 'FAIL' : String(response)
      const colour = response === null ? 'red' : 'green'
      return { result, colour, what: 'preflight', more: `-> ${url} ${error ?? ''}` }
    }
    case 'note': {
      const { text, order_id, request_id } = activity
      const more = `works here, may be rejected there: ${text}`
      return { result: 'note', colour: 'yellow', what: activity.operation, order: order_id, id: request_id, more }
    }
    case 'fault': {
      const { kind, ...parameters } = activity.fault
      const more = Object.entries(parameters).map(([name, value]) => ` ${name}=${String(value)}`)
      const what = `fault ${kind}${more.join('')} fired on ${activity.on}`
      return { result: 'flt', colour: 'yellow', what, order: activity.order_id, id: activity.id }
    }
  }
}
