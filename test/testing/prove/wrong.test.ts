import { expect, it } from 'vitest'
import { prove, reportText } from '../../../src/testing/index.ts'
import { receiver } from './support/receiver.ts'
import { ALSO_WRONG } from './support/wrong.ts'

it.concurrent.each(ALSO_WRONG)('%s: %s, %s', { timeout: 120_000 }, async (shop, cause, verdict, step) => {
  const report = await prove({ ...receiver(shop), url: 'https://shop.example.com/webhooks', settleMs: 0, orders: 0 })
  const text = reportText(report)
  expect(new Set(report.findings.map((one) => one.cause)), text).toEqual(new Set([cause]))
  const shown = report.findings.find((one) => one.verdict === verdict)
  expect(shown?.story.map(({ says }) => says).join('\n'), text).toMatch(step)
  // However wrong their sums are, all but one count something for any id.
  if (shop !== 'counts_whole_units') expect(text).not.toContain('no payment was counted')
})
