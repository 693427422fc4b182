import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesUnder, root } from './support/runtimes.ts'

// A customer pays twice if a shop pays again under another order_id while the first call may have been paid. So each
// sentence that proposes another id stands behind a look-up. This test lists them all: a new one has to be read.

const PLACES = ['src', 'guides', 'template', 'worker', 'examples', 'README.md', 'SKILL.md', 'llms.txt']

const filesOf = (path: string): string[] =>
  /\.\w+$/.test(path) ? [path] : filesUnder(join(root, path), root).filter((file) => /\.(ts|md)$/.test(file))

/** A verb of proposing, and then another id or order. */
const PROPOSES =
  /\b(use|take|make|try|send|pay|create|choose|begin)\b[^.|;]{0,40}\b(another|new|fresh|different|other)\b[^.|;]{0,12}\b(one|id|order_id|order)\b/i
const IS_OF_ORDERS = /order_id|newOrderId|P-409|order ID|\bnew ID\b/
/** What has to stand in the sentence: a look-up, or that the payment is known to have failed or ended. */
const IS_BEHIND = /look\w* (it|the order) up|look-up|only if (that|it|the) [\w ]*failed|ended|is not paid|not_executed/i

function proposals(): [file: string, sentence: string][] {
  return PLACES.flatMap(filesOf).flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines
      .filter((line) => PROPOSES.test(line.replaceAll(/import .*/g, '')) && IS_OF_ORDERS.test(line))
      .map((line): [string, string] => [file, line.trim()])
  })
}

it('another order_id is proposed only behind a look-up', () => {
  const found = proposals()
  expect(found.filter(([, sentence]) => !IS_BEHIND.test(sentence))).toEqual([])
  expect(found.map(([file]) => file)).toEqual(
    expect.arrayContaining(['src/http/errors.ts', 'src/cli/commands/payment.ts', 'guides/troubleshooting.md']),
  )
})

it('finds the sentences that it is about', () => {
  const wrong = ' Used before, if only by a failed attempt: make another one, newOrderId(), or not.'
  expect([PROPOSES.test(wrong), IS_OF_ORDERS.test(wrong), IS_BEHIND.test(wrong)]).toEqual([true, true, false])
})
