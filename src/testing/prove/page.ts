import type { ProveFinding, ProveReport } from './prove.ts'
import { stateText } from './report.ts'

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff }
  h2 { color: #a4262c; margin-top: 2.5rem } .ok { color: #0b6a0b }
  ol { border-left: 3px solid #bbb; list-style-position: inside; padding: 0 0 0 1rem } li { margin: .4rem 0 }
  code { background: #f0f0f0; border-radius: 3px; padding: 0 .3rem } .no { color: #a4262c }
  table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: .3rem .7rem; text-align: left }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #1b1b1b } code { background: #333 } h2, .no { color: #ff8f8f } }`

/** A report as an HTML page with the timeline of each failing order. It loads nothing. */
export function reportPage({ seed, orders, requests, leftOut, findings }: ProveReport): string {
  const result = findings.length === 0 ? '<p class="ok">Nothing found.</p>' : findings.map(section).join('\n')
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
${result}
${left}</main></html>
`
}

function section({ verdict, cause, advice, order_id, expected, seen, story }: ProveFinding): string {
  const steps = story.map(({ says, answers }) => {
    const codes = answers.map((answer) => {
      const isGood = typeof answer === 'number' && answer < 300
      return `<code${isGood ? '' : ' class="no"'}>${escaped(String(answer))}</code>`
    })
    return `<li>${escaped(says)} ${codes.join(' ')}</li>`
  })
  return `<section><h2>${escaped(verdict)}</h2>
<p><code>${cause}</code> ${escaped(advice)}</p>
<p>Order <code>${escaped(order_id)}</code></p>
<ol>${steps.join('\n')}</ol>
<table><tr><th>It should be</th><td>${escaped(stateText(expected))}</td></tr>
<tr><th>The shop says</th><td class="no">${escaped(stateText(seen))}</td></tr></table></section>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one)
