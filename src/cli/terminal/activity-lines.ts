import type { Activity } from '../../emulator/index.ts'
import { type Colour, printable } from './terminal.ts'

type Paint = (colour: Colour, text: string) => string

/** Its result, duration, event and explanation. */
type Line = { result: string; colour: Colour; ms?: number; what: string; more?: string }

export function activityLine(activity: Activity, paint: Paint = (_, text) => text): string {
  // With its date: the clock can be moved by months.
  const time = activity.at.slice(5, 19).replace('T', ' ')
  if (activity.type === 'error') {
    return `${time}  ${paint('red', 'internal error')}\n${activity.stack.split('\n').map(printable).join('\n')}`
  }
  const { result, colour, ms, what, more = '' } = lineOf(activity)
  const duration = (ms === undefined ? '' : `${ms} ms`).padStart(8)
  const order = ('order_id' in activity && activity.order_id) || '-'
  const id = activity.type === 'note' ? activity.request_id : 'id' in activity ? activity.id : undefined
  const shop = activity.shop === undefined ? [] : [activity.shop]
  const rest = [...shop, what.padEnd(28), order, ...(id ? [paint('dim', id)] : []), more].map(keepingColour)
  return `${time}  ${paint(colour, result.padEnd(4))}${duration}  ${rest.join('  ').trimEnd()}`
}

/** Everything but the colours that `paint` has put in is made printable. */
function keepingColour(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of `paint`
  const [, start = '', inner = text, end = ''] = /^(\u001b\[\d+m)(.*)(\u001b\[0m)$/s.exec(text) ?? []
  return start + printable(inner) + end
}

const ended = (status: number | null, isFailed = status === null): Pick<Line, 'result' | 'colour'> => {
  return { result: status === null ? 'FAIL' : String(status), colour: isFailed ? 'red' : 'green' }
}

function lineOf(activity: Exclude<Activity, { type: 'error' }>): Line {
  switch (activity.type) {
    case 'request': {
      const { method, path, status, reason, body = '', ms } = activity
      const more = reason ?? (status === null ? 'no response' : body)
      return { ...ended(status, status === null || status >= 400), ms, what: `${method} ${path}`, more }
    }
    case 'webhook': {
      const { method, status, url, attempt, response, error, retry_at, ms } = activity
      const again = attempt === 1 ? '' : `, attempt ${attempt}`
      const retry = retry_at === null ? '' : `; next attempt ${retry_at.slice(0, 19)}`
      const more = `-> ${url}${again}${error === null ? '' : `: ${error}`}${retry}`
      return { ...ended(response, !isSuccess(response)), ms, what: `webhook ${method} ${status}`, more }
    }
    case 'preflight': {
      const { url, response, error } = activity
      return { ...ended(response), what: 'preflight', more: `-> ${url} ${error ?? ''}` }
    }
    case 'note': {
      const more = `works here, may be rejected there: ${activity.text}`
      return { result: 'note', colour: 'yellow', what: activity.operation, more }
    }
    case 'fault': {
      const { kind, ...parameters } = activity.fault
      const more = Object.entries(parameters).map(([name, value]) => ` ${name}=${String(value)}`)
      return { result: 'flt', colour: 'yellow', what: `fault ${kind}${more.join('')} fired on ${activity.on}` }
    }
  }
}

/** Whether the service would take a webhook for delivered. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300
