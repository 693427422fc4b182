import { html } from 'hono/html'
import type { Credentials } from '../../options.ts'
import type { Html } from '../../pages/layout.ts'
import { commandForm } from './components.ts'
import { type Desk, renderSection } from './frame.ts'

export function connectPage(desk: Desk): Promise<Response> {
  const { credentials } = desk.emulator
  const body = html`
<h1>Connect</h1>
<p>These credentials are the emulator's. They sign nothing real.</p>
<dl>${Object.entries(credentials).map(([name, value]) => html`<dt>${name}</dt><dd><code class="copy">${value}</code></dd>`)}</dl>
${Object.entries(snippets(credentials)).map(([name, text]) => html`<h2>${name}</h2><pre class="copy">${text}</pre>`)}
<h2>Take along</h2>
<p><a href="/_emulator/api/snapshot" download="emulator.json">Download a snapshot</a> of all that the emulator remembers; <code>POST /_emulator/api/restore</code> goes on from one.
  <a href="/_emulator/openapi.json">The control API as OpenAPI</a>.</p>
<h2>Start again</h2>
${startAgain()}`
  return renderSection(desk, { title: 'Connect', body, section: 'connect' })
}

function startAgain(): Html {
  return html`<details class="confirm"><summary>Forget everything …</summary><p>All orders, webhooks, requests, faults and what is scheduled will be forgotten. This cannot be undone.</p>${commandForm('reset', {}, 'Forget everything', { danger: true })}</details>`
}

/** The lines of a `.env` file that the SDK and the command line read. */
export const variablesOf = (credentials: Credentials): string[] =>
  Object.entries(credentials).map(([name, value]) => {
    return `EDGETILL_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}=${value}`
  })

function snippets(credentials: Credentials): Record<string, string> {
  const { baseUrl, apiUrl, posId, apiKey, apiSecret, endpointsKey, scheme } = credentials
  const accounts = `${apiUrl}/api/v1/balances/pos/${posId}/accounts`
  const auth = `${scheme} ${apiKey}:${apiSecret}`
  const names = { baseUrl, apiUrl, posId, apiKey, apiSecret, endpointsKey, scheme }
  return {
    '.env': variablesOf(credentials).join('\n'),
    TypeScript: `import { createClient } from 'edgetill'

const client = createClient({
${Object.entries(names)
  .map(([name, value]) => `  ${name}: '${value}',`)
  .join('\n')}
})
console.log(await client.listAccounts())`,
    PHP: `<?php
$request = curl_init('${accounts}');
curl_setopt($request, CURLOPT_RETURNTRANSFER, true);
curl_setopt($request, CURLOPT_HTTPHEADER, ['X-API-AUTH: ${auth}']);
print_r(json_decode(curl_exec($request), true));`,
    Python: `import json
import urllib.request

request = urllib.request.Request('${accounts}', headers={'X-API-AUTH': '${auth}'})
print(json.load(urllib.request.urlopen(request)))`,
    Go: `package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", "${accounts}", nil)
	request.Header.Set("X-API-AUTH", "${auth}")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, response.Body)
}`,
    curl: `curl -H 'X-API-AUTH: ${auth}' '${accounts}'`,
  }
}
