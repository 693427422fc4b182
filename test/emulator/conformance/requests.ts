import { expect } from 'vitest'
import { createBench, direct, type Json, post } from '../call.ts'
import { WRONG } from './kinds.ts'
import {
  auth,
  capture,
  holds,
  hostedPayment,
  type Parameter,
  Probe,
  recurring,
  splitDirect,
  splitHosted,
  type Target,
  tokenRow,
  typeOf,
} from './probe.ts'
import { type Create, namesIn, type Row, sentenceOf, tableOf } from './row.ts'

/** The request tables of the document, read row by row: what is required, of what type, and how long it may be. */

function parameterRows(section: 'split-direct' | 'capture', target: Target): Row[] {
  return tableOf(section).map(({ line, cells: [cell = '', type = '', required = '', notes = ''] }) => ({
    section,
    sentence: line,
    run: async (create) => {
      const name = cell
      const own = {
        name,
        type: typeOf(name, type),
        required: required.startsWith('yes') && name !== 'charge_amount',
        notes,
      }
      if (name === 'cc_token') return tokenRow(create)
      await holds(create, target, own)
      if (name === 'charge_amount') await captureAmountRow(create)
      if (name === 'validation_url') await preflightRow(create)
      if (name === 'order_currency') await captureCurrencyRow(create)
      if (section === 'split-direct' && name !== 'split') {
        // "The remaining parameters are those of the corresponding purchase request."
        await holds(create, auth, own)
      }
    },
  }))
}

/** "A preflight request is sent to this URL" */
async function preflightRow(create: Create): Promise<void> {
  const bench = createBench({}, create)
  for (const [index, target] of [splitDirect, splitHosted, auth].entries()) {
    await post(bench.emulator, target.path, await target.full(bench, index))
  }
  await post(bench.emulator, auth.path, direct(bench.emulator))
  await bench.emulator.deliveries.idle()
  expect(bench.preflights).toEqual(Array(3).fill('https://shop.example/validate'))
}

/** A request that is wrong in itself is refused before its order is looked for. */
async function captureCurrencyRow(create: Create): Promise<void> {
  const { emulator } = createBench({}, create)
  const { posId: pos_id } = emulator.credentials
  for (const [order_currency, status] of [
    ['uah', 400],
    [undefined, 400],
    ['UAH', 404],
  ] as const) {
    const response = await post(emulator, capture.path, { pos_id, order_id: 'unknown', order_currency })
    expect(response.status).toBe(status)
  }
}

/** "yes for a partial capture and for a capture beyond the reserve …. Omitted for a full capture" */
async function captureAmountRow(create: Create): Promise<void> {
  for (const [charge_amount, amount] of [
    [40.25, 40.25],
    [110, 110],
    [undefined, 100.5],
  ]) {
    const bench = createBench({}, create)
    const body = { ...(await capture.full(bench, 1)), charge_amount }
    const answer = (await (await post(bench.emulator, capture.path, body)).json()) as Json
    expect(answer.amount).toBe(amount)
  }
}

function hostedRows(): Row[] {
  const types = new Map(tableOf('split-direct').map(({ cells }) => [cells[0] ?? '', cells] as const))
  const required = sentenceOf('split-hosted', 'Required:')
  const optional = sentenceOf('split-hosted', 'Optional:')
  const parameter = (name: string, isRequired: boolean): Parameter => {
    const [, type = 'String', , notes = ''] = types.get(name) ?? []
    const own = name === 'validation_url' ? 'URL' : typeOf(name, type)
    return { name, type: own, required: isRequired, notes }
  }
  const each = (sentence: string, isRequired: boolean, names = namesIn(sentence)): Row[] =>
    names.map((name) => ({
      section: 'split-hosted',
      sentence,
      run: async (create) => {
        await holds(create, splitHosted, parameter(name, isRequired))
        if (name !== 'split') await holds(create, hostedPayment, parameter(name, isRequired))
      },
    }))
  return [
    ...each(required, true),
    ...each(optional, false),
    ...each('Types are as in the direct request.', true, ['amount', 'currency', 'order_id']),
  ]
}

function recurringRows(): Row[] {
  return tableOf('recurring').map(({ line, cells: [name = '', type = '', required = ''] }) => ({
    section: 'recurring',
    sentence: line,
    run: (create) =>
      holds(create, recurring, {
        name,
        type: name === 'amount' ? 'Amount' : type,
        required: required === 'yes',
        notes: '',
        inside: 'init_recurring',
      }),
  }))
}

const splitEntryRows: Row[] = tableOf('split-entry')
  .filter(({ cells }) => cells.length === 4)
  .map(({ line, cells: [name = '', type = '', required = ''] }) => ({
    section: 'split-entry',
    sentence: line,
    run: async (create) => {
      for (const target of [splitDirect, splitHosted]) {
        const probe = new Probe(create, target)
        const entry = (body: Json): Json => (body.split as Json[])[1] as Json
        const field = `split[1].${name}`
        await probe.accepts((body) => {
          entry(body).products = [{ name: 'Book' }]
        })
        const drop = (body: Json) => {
          delete entry(body)[name]
        }
        if (required === 'yes') await probe.refuses(field, drop)
        else await probe.accepts(drop)
        for (const value of WRONG[typeOf(name, type)] ?? []) {
          await probe.refuses(field, (body) => {
            entry(body)[name] = value
          })
        }
        await probe.refuses('split[1]', (body) => {
          ;(body.split as unknown[])[1] = 'text'
        })
        await probe.refuses('split', (body) => {
          body.split = []
        })
      }
    },
  }))

export const requestRows: Row[] = [
  ...parameterRows('split-direct', splitDirect),
  ...parameterRows('capture', capture),
  ...hostedRows(),
  ...recurringRows(),
  ...splitEntryRows,
]
