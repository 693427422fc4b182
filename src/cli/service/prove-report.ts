import type { ProveFinding, ProveReport } from '../../testing/prove/index.ts'
import { findingText, restText, stateText, summaryText } from '../../testing/prove/report.ts'

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem;
    color-scheme: light dark }
  h2, .no { color: light-dark(#a4262c, #ff8f8f) } pre { overflow-x: auto; font-size: .75rem } li { margin: .4rem 0 }
  table { border-collapse: collapse } td, th { border: 1px solid #999; padding: .3rem .7rem; text-align: left }`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: unknown): string => String(text).replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one)
const row = (name: string, value: unknown, mark = ''): string =>
  `<tr><th>${escaped(name)}</th><td${mark}>${escaped(value)}</td></tr>`

/** A report as an HTML page with the timeline of each failing order. It loads nothing. */
export function reportPage(report: ProveReport): string {
  const { url, tried, findings } = report
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>edgetill prove</title>
<style>${STYLE}
</style>
<main><h1>edgetill prove</h1>
<p>${escaped(summaryText(report))}</p>
<details><summary>What was tried, and how often</summary>
<table>${Object.entries(tried)
    .map((one) => row(...one))
    .join('')}</table></details>
${findings.map((one) => section(one, url)).join('\n')}
<ul>${restText(report)
    .map((one) => `<li>${escaped(one)}</li>`)
    .join('')}</ul></main></html>
`
}

function section({ verdict, cause, advice, order_id, expected, seen, story }: ProveFinding, url: string): string {
  const steps = story.map(({ says, answers, sent }) => {
    const codes = answers.map((one) => `<code${Number(one) < 300 ? '' : ' class="no"'}>${escaped(one)}</code>`)
    return `<li>${escaped(says)} ${codes.join(' ')}${sent ? `<pre>${escaped(curlOf(url, sent))}</pre>` : ''}</li>`
  })
  return `<section><h2>${escaped(verdict)}</h2>
<p><code>${cause}</code> ${escaped(advice)}</p>
<p>Order <code>${escaped(order_id)}</code></p>
<ol>${steps.join('\n')}</ol>
<table>${row('It should be', stateText(expected))}
${row('The shop says', stateText(seen), ' class="no"')}</table></section>`
}

const MAX_CURL = 20_000

/** A command that sends a step's body again. Bodies that are too long for a command line are left out. */
function curlOf(url: string, { type, text }: { type: string; text: string }): string {
  const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`
  if (text.length > MAX_CURL) return `# a body of ${text.length} letters`
  return `curl -H ${quoted(`content-type: ${type}`)} --data-raw ${quoted(text)} ${quoted(url)}`
}

/** A report as JUnit XML: a test case for each attack, and for each finding without one. */
export function junitOf(report: ProveReport): string {
  const { findings, seed, tried, seconds, complete } = report
  const summary = escaped(summaryText(report))
  const failure = (finding: ProveFinding): string =>
    `<failure type="${finding.cause}" message="${escaped(finding.advice)}">${escaped(findingText(finding))}</failure>`
  const testcase = (name: string, time: number, inner: string): string =>
    `  <testcase classname="edgetill.prove" name="${escaped(name)}" time="${time.toFixed(3)}">${inner}</testcase>`
  const rest = findings.filter(({ attacks }) => attacks.length === 0)
  const cases = [
    ...Object.entries(tried).map(([attack, count]) => {
      const failed = findings.filter(({ attacks }) => attacks.includes(attack)).map(failure)
      return testcase(attack, seconds[attack] ?? 0, count === 0 ? '<skipped/>' : failed.join(''))
    }),
    ...rest.map((one) => testcase(`${one.verdict} (${one.cause})`, 0, failure(one))),
    ...(rest.length > 0 ? [] : [testcase(`orders without an attack, seed ${seed}`, 0, '')]),
    ...(complete ? [] : [testcase('every fixed story was played', 0, `<skipped message="${summary}"/>`)]),
  ]
  const [failures, skipped] = ['<failure', '<skipped'].map((tag) => cases.filter((one) => one.includes(tag)).length)
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="edgetill prove" tests="${cases.length}" failures="${failures}" skipped="${skipped}">
${cases.join('\n')}
  <system-out>${[summary, ...restText(report).map(escaped)].join('\n')}</system-out>
</testsuite>
`
}

/** A report as SARIF 2.1.0. A finding is in the file of its story: a receiver has an address in place of a file. */
export function sarifOf(report: ProveReport, files: ReadonlyMap<ProveFinding, string>): string {
  const { url, findings, complete } = report
  const rules = [
    ...new Map(findings.map(({ cause, advice }) => [cause, { id: cause, fullDescription: { text: advice } }])).values(),
  ]
  const results = findings.map((finding) => ({
    ruleId: finding.cause,
    level: 'error',
    message: { text: findingText(finding).trim() },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: files.get(finding) ?? 'prove' } },
        logicalLocations: [{ fullyQualifiedName: url }],
      },
    ],
  }))
  const driver = { name: 'edgetill prove', rules }
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json'
  const note = (text: string) => ({ level: complete ? 'note' : 'warning', message: { text } })
  const toolExecutionNotifications = [summaryText(report), ...restText(report)].map(note)
  const invocations = [{ executionSuccessful: complete, toolExecutionNotifications }]
  const runs = [{ tool: { driver }, invocations, results }]
  return `${JSON.stringify({ version: '2.1.0', $schema, runs }, null, 2)}\n`
}
