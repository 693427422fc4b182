import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { barChart } from '../../bench/chart.ts'
import { isMet, reasonOf } from '../../bench/missed.ts'
import { CALLS } from '../../bench/programs/bare-worker.ts'
import { callersFor } from '../../bench/programs/call-callers.ts'
import { eventOf } from '../../bench/programs/events.ts'
import { documents, readResults } from '../../bench/results.ts'
import { serve } from '../../bench/subjects/call.ts'
import { ADMIN_TOKEN, clientOf, keyOf, sentWebhook, startWorker } from '../../bench/worker-process.ts'
import { readCalls } from '../../scripts/worker-cost.ts'
import { OPERATIONS } from '../support/operations.ts'
import { root } from './support/runtimes.ts'

describe('the committed results of the bench', () => {
  const results = readResults()

  it('are of every subject, each with its date, its machine and figures', () => {
    const subjects = readdirSync(join(root, 'bench/subjects')).map((file) => file.replace(/\.ts$/, ''))
    expect(Object.keys(results).toSorted()).toEqual(subjects.toSorted())
    for (const { machine, report } of Object.values(results)) {
      expect(machine).toMatchObject({ date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), cpu: expect.any(String) })
      expect(report.measures.length).toBeGreaterThan(5)
      expect(report.measures.map(({ table }) => table)).toContain(report.chart.table)
    }
  })

  it('have no goal that is missed without a reason', () => {
    const goals = Object.values(results).flatMap(({ report }) => report.goals)
    const missed = goals.filter((goal) => !isMet(goal))
    expect(missed.length).toBeGreaterThan(0)
    expect(missed.filter((goal) => reasonOf(goal) === undefined).map(({ text }) => text)).toEqual([])
  })

  it('are what bench/README.md and the charts show', () => {
    const shown = documents(results)
    expect(Object.keys(shown)).toHaveLength(Object.keys(results).length + 1)
    for (const [file, text] of Object.entries(shown)) {
      expect([file, readFileSync(join(root, file), 'utf8') === text]).toEqual([file, true])
    }
    const charts = readdirSync(join(root, 'bench/charts')).map((file) => `bench/charts/${file}`)
    expect(charts.filter((file) => !(file in shown))).toEqual([])
  })
})

describe('the workers that are measured', () => {
  it('make the same calls for a webhook', () => {
    expect(CALLS).toEqual(readCalls().get('a webhook, the first of its order'))
  })

  it.each(['worker/index.ts', 'bench/programs/bare-worker.ts'])('%s receives a webhook and lists it', async (entry) => {
    const worker = await startWorker(entry)
    onTestFinished(() => worker.stop())
    const call = clientOf(worker)
    const event = eventOf('1.1 kB', 1)
    expect(await call(sentWebhook(event))).toMatchObject({ status: 200 })
    const isTemplate = entry.startsWith('worker/')
    const path = isTemplate ? `/api/orders/${event.order_id}` : `/orders/${keyOf(event.order_id)}`
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const { text } = await call({ method: 'GET', path, headers })
    const read = JSON.parse(text)
    expect(isTemplate ? read.events : read).toMatchObject([{ status: 'success', amount: 100.5 }])
  })
})

it('every call that is measured succeeds', async () => {
  const { origin, close } = await serve()
  onTestFinished(() => close())
  const callers = callersFor(origin)
  expect(callers.length).toBeGreaterThan(6)
  for (const { operation, name, call } of callers) {
    const record = await call()
    expect([operation, name, record]).toEqual([operation, name, expect.objectContaining({ order_id: 'A-1' })])
  }
})

it('the program whose types are checked uses every operation', () => {
  const program = readFileSync(join(root, 'bench/types/edgetill.ts'), 'utf8')
  const operations = Object.keys(OPERATIONS)
  expect(operations.filter((name) => !program.includes(`client.${name}(`))).toEqual([])
})

it('a chart escapes the names, and draws bars in proportion to their values', () => {
  const bars = [
    { name: 'ours & <b>"theirs"</b>', value: 2, ours: true },
    { name: 'slow', value: 8, ours: false },
  ]
  const svg = barChart('A < B', 'µs', [{ label: 'node', bars }])
  for (const text of ['ours &amp; &lt;b&gt;&quot;theirs&quot;&lt;/b&gt;', 'A &lt; B']) expect(svg).toContain(text)
  const widths = [...svg.matchAll(/class="(?:ours|other)" [^>]*width="(\d+)"/g)].map(([, width]) => Number(width))
  expect(widths[1]).toBe(4 * (widths[0] ?? 0))
})
