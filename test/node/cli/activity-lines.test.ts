import { describe, expect, it } from 'vitest'
import { activityLine } from '../../../src/cli/terminal/activity-lines.ts'

describe('a line of the terminal', () => {
  const at = '2026-01-31T10:00:00.000'

  it('shows a mistake of the emulator with its stack', () => {
    expect(activityLine({ type: 'error', at, id: null, stack: 'RangeError: x\n    at one\n    at two' })).toBe(
      '01-31 10:00:00  internal error\nRangeError: x\n    at one\n    at two',
    )
  })

  it('lets nothing out of a request move the cursor or forge a line', () => {
    const order_id = 'A\n10:00:00  POST\u001b[2J\u202e'
    const request = { type: 'request', at, id: '1', method: 'GET', path: '/', operation: null, ms: 3 } as const
    const line = activityLine({ ...request, order_id, status: 200, reason: null })
    expect(line).toMatch(/^01-31 10:00:00 {2}200 +3 ms {2}GET \/ +A\\u000a10:00:00 {2}POST\\u001b\[2J\\u202e {2}1$/)
    const failed = { ...request, order_id: 'A-1', status: 503, reason: 'why' }
    const plainLine = activityLine(failed)
    const coloured = activityLine(failed, (_, text) => `\u001b[31m${text}\u001b[0m`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(plainLine)
    expect(coloured).toContain('\u001b[31m503 \u001b[0m')
  })
})
