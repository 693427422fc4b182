import type { Activity } from '../../emulator/index.ts'
import { printable } from './terminal.ts'

/** One line for people about something that happened in the emulator. */
export function activityLine(activity: Activity): string {
  const time = activity.at.slice(11, 19)
  const lines = activity.type === 'error' ? ['internal error', ...activity.stack.split('\n')] : [describe(activity)]
  return `${time}  ${lines.map(printable).join('\n')}`
}

function describe(activity: Exclude<Activity, { type: 'error' }>): string {
  switch (activity.type) {
    case 'request': {
      const { method, path, order_id, status, reason } = activity
      return `${method} ${path}${order_id === null ? '' : ` (${order_id})`} -> ${join(status, reason)}`
    }
    case 'webhook': {
      const { method, status, order_id, url, attempt, response, error, retry_at } = activity
      const again = attempt === 1 ? '' : `, attempt ${attempt}`
      const retry = retry_at === null ? '' : `; next attempt ${retry_at.slice(0, 19)}`
      return `webhook ${method} ${status} (${order_id}) -> ${url}${again}: ${join(response, error)}${retry}`
    }
    case 'preflight':
      return `preflight GET ${activity.url}: ${join(activity.response, activity.error)}`
    case 'fault': {
      const { kind, ...parameters } = activity.fault
      const more = Object.entries(parameters).map(([name, value]) => ` ${name}=${String(value)}`)
      return `fault ${kind}${more.join('')} fired on ${activity.on}${activity.order_id === null ? '' : ` (${activity.order_id})`}`
    }
  }
}

function join(status: number | null, reason: string | null): string {
  if (status === null) return reason === null ? 'no response' : `failed: ${reason}`
  return reason === null ? String(status) : `${status} ${reason}`
}
