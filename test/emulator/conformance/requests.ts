import { expect } from 'vitest'
import { createBench, direct, type Json, post, SPLIT } from '../call.ts'
import { captureVariants } from './captures.ts'
import { WRONG } from './kinds.ts'
import { checkedBeforeTheOrder, holds, Probe, tokenRow, typeOf } from './probe.ts'
import { type Create, namesIn, type Row, row, sentenceOf, tableOf, tableRows } from './row.ts'
import { auth, capture, hostedPayment, OPTIONAL, recurring, splitDirect, splitHosted, type Target } from './targets.ts'

/** The request tables of the document, read row by row: what is required, of what type, and how long it may be. */

function parameterRows(section: 'split-direct' | 'capture', target: Target): Row[] {
  return tableRows(section, async (create, name = '', type = '', required = '', notes = '') => {
    const isRequired = required.startsWith('yes') && name !== 'charge_amount'
    const own = { name, type: typeOf(name, type), required: isRequired, notes }
    if (name === 'cc_token') return tokenRow(create)
    await holds(create, target, own)
    if (name === 'charge_amount') await captureVariants(createBench({}, create))
    if (name === 'validation_url') await preflightRow(create)
    if (name === 'order_currency') await checkedBeforeTheOrder(create, target)
    // "The remaining parameters are those of the corresponding purchase request."
    if (section === 'split-direct' && name !== 'split') await holds(create, auth, own)
  })
}

/** "A preflight request is sent to this URL" */
async function preflightRow(create: Create): Promise<void> {
  const bench = createBench({}, create)
  for (const [index, target] of [splitDirect, splitHosted, auth].entries()) {
    await post(bench.emulator, target.path, await target.full(bench, index))
  }
  await post(bench.emulator, auth.path, direct(bench.emulator))
  await bench.emulator.deliveries.idle()
  expect(bench.preflights).toEqual(Array(3).fill(OPTIONAL.validation_url))
}

const types = new Map(tableOf('split-direct').map(({ cells }) => [cells[0], cells]))

/** The parameters that a sentence lists, in hosted requests. */
function hostedRows(beginning: string, required: boolean, listed?: string[]): Row[] {
  return (listed ?? namesIn(sentenceOf('split-hosted', beginning))).map((name) => {
    const [, type = 'String', , notes = ''] = types.get(name) ?? []
    const own = { name, type: name === 'validation_url' ? 'URL' : typeOf(name, type), required, notes }
    return row('split-hosted', beginning, async (_, create) => {
      await holds(create, splitHosted, own)
      if (name !== 'split') await holds(create, hostedPayment, own)
    })
  })
}

const recurringRows = tableRows('recurring', (create, name = '', cell = '', required = '') => {
  const type = name === 'amount' ? 'Amount' : cell
  return holds(create, recurring, { name, type, required: required === 'yes', notes: '' })
})

const splitEntryRows = tableRows('split-entry', async (create, name = '', type = '', required = '') => {
  for (const target of [splitDirect, splitHosted]) {
    const probe = new Probe(create, target)
    const set = (more: Json): Json => ({ split: [SPLIT[0], { ...SPLIT[1], ...more }] })
    await probe.accepts(set({ products: [{ name: 'Book' }] }))
    const none = set({ [name]: undefined })
    if (required === 'yes') await probe.refuses(`split[1].${name}`, none)
    else await probe.accepts(none)
    for (const value of WRONG[typeOf(name, type)] ?? []) {
      await probe.refuses(`split[1].${name}`, set({ [name]: value }))
    }
    await probe.refuses('split[1]', { split: [SPLIT[0], 'text'] })
    await probe.refuses('split', { split: [] })
  }
})

export const requestRows: Row[] = [
  ...parameterRows('split-direct', splitDirect),
  ...parameterRows('capture', capture),
  ...hostedRows('Required:', true),
  ...hostedRows('Optional:', false),
  ...hostedRows('Types are as in', true, ['amount', 'currency', 'order_id']),
  ...recurringRows,
  ...splitEntryRows,
]
