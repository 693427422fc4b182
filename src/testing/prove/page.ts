import type { ProveFinding, ProveReport } from './finding.ts'
import { stateText } from './report.ts'

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff }
  h2 { color: #a4262c; margin-top: 2.5rem } .ok { color: #0b6a0b }
  ol { border-left: 3px solid #bbb; list-style-position: inside; padding: 0 0 0 1rem } li { margin: .4rem 0 }
  code { background: #f0f0f0; border-radius: 3px; padding: 0 .3rem } .no { color: #a4262c }
  pre { overflow-x: auto; font-size: .75rem }
  table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: .3rem .7rem; text-align: left }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #1b1b1b } code { background: #333 } h2, .no { color: #ff8f8f } }`

/** A report as an HTML page with the timeline of each failing order. It loads nothing. */
export function reportPage({ url, seed, orders, requests, tried, leftOut, findings }: ProveReport): string {
  const result =
    findings.length === 0 ? '<p class="ok">Nothing found.</p>' : findings.map((one) => section(one, url)).join('\n')
  const left =
    leftOut.length === 0
      ? ''
      : `<h3>Not tried</h3><ul>${leftOut.map((one) => `<li>${escaped(one)}</li>`).join('')}</ul>`
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>edgetill prove</title>
<style>${STYLE}
</style>
<main><h1>edgetill prove</h1>
<p>${orders} orders, ${requests} webhooks, seed ${seed}.</p>
<details><summary>What was tried, and how often</summary><table>${Object.entries(tried)
    .map(([name, times]) => `<tr><td>${escaped(name)}</td><td>${times}</td></tr>`)
    .join('')}</table></details>
${result}
${left}</main></html>
`
}

function section({ verdict, cause, advice, order_id, expected, seen, story }: ProveFinding, url: string): string {
  const steps = story.map(({ says, answers, sent }) => {
    const codes = answers.map((answer) => {
      const isGood = typeof answer === 'number' && answer < 300
      return `<code${isGood ? '' : ' class="no"'}>${escaped(String(answer))}</code>`
    })
    return `<li>${escaped(says)} ${codes.join(' ')}${sent ? `<pre>${escaped(curlOf(url, sent))}</pre>` : ''}</li>`
  })
  return `<section><h2>${escaped(verdict)}</h2>
<p><code>${cause}</code> ${escaped(advice)}</p>
<p>Order <code>${escaped(order_id)}</code></p>
<ol>${steps.join('\n')}</ol>
<table><tr><th>It should be</th><td>${escaped(stateText(expected))}</td></tr>
<tr><th>The shop says</th><td class="no">${escaped(stateText(seen))}</td></tr></table></section>`
}

/** A command that sends a step's body again. What is too long for a command line is left out. */
function curlOf(url: string, { type, text }: { type: string; text: string }): string {
  const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`
  if (text.length > MAX_CURL) return `# a body of ${text.length} letters`
  return `curl -H ${quoted(`content-type: ${type}`)} --data-raw ${quoted(text)} ${quoted(url)}`
}
const MAX_CURL = 20_000

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one)
