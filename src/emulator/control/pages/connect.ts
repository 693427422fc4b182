import { html } from 'hono/html'
import type { Credentials } from '../../options.ts'
import { confirmForm } from './components.ts'
import { type Desk, renderSection } from './frame.ts'

export function connectPage(desk: Desk): Promise<Response> {
  const { credentials } = desk.emulator
  const body = html`
<h1>Connect</h1>
<p>These credentials are the emulator's. They sign nothing real.</p>
<dl>${Object.entries(credentials).map(
    ([name, value]) => html`<dt>${name}</dt><dd><code class="copy">${value}</code></dd>`,
  )}</dl>
${Object.entries(snippets(credentials)).map(([name, text]) => html`<h2>${name}</h2><pre class="copy">${text}</pre>`)}
<h2>Take along</h2>
<p><a href="/_emulator/api/snapshot" download="emulator.json">Download a snapshot</a> of the whole state;
  <code>POST /_emulator/api/restore</code> goes on from one.
  <a href="/_emulator/openapi.json">The control API as OpenAPI</a>.</p>
<h2>Start again</h2>
${confirmForm(
  'reset',
  {},
  'Forget everything',
  'All orders, webhooks, requests, faults and scheduled charges will be forgotten. This cannot be undone.',
)}`
  return renderSection(desk, { title: 'Connect', body, section: 'connect' })
}

/** The lines of a `.env` file that the SDK and the command line read. */
export const variablesOf = (credentials: Credentials): string[] =>
  Object.entries(credentials).map(([name, value]) => {
    return `EDGETILL_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}=${value}`
  })

function snippets(credentials: Credentials): Record<string, string> {
  const { apiUrl, posId, apiKey, apiSecret, scheme } = credentials
  const accounts = `${apiUrl}/api/v1/balances/pos/${posId}/accounts`
  const auth = `${scheme} ${apiKey}:${apiSecret}`
  return {
    '.env': variablesOf(credentials).join('\n'),
    TypeScript: `import { createClient } from 'edgetill'

const client = createClient({
${Object.entries(credentials)
  .map(([name, value]) => `  ${name}: '${value}',`)
  .join('\n')}
})
console.log(await client.listAccounts())`,
    curl: `curl -H 'X-API-AUTH: ${auth}' '${accounts}'`,
  }
}
