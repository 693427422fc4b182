import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { verb as replay } from '../../../src/cli/commands/replay.ts'
import { readSecrets } from '../../../src/cli/service/secrets.ts'
import { serveOnNode } from '../../../src/cli/service/serve-node.ts'
import { readVariables } from '../../../src/cli/terminal/environment.ts'
import { createListener, type Heard } from '../../../src/cli/webhooks/listener.ts'
import { bodyText, saveReceived } from '../../../src/cli/webhooks/received.ts'
import { sendRequest } from '../../../src/cli/webhooks/send.ts'
import { signWebhook } from '../../../src/webhooks/index.ts'
import { temporaryFolder } from '../support/fixtures.ts'
import { runVerb } from '../support/verb.ts'

it.each([
  ['a form', 'data=e30%3D&signature=x'],
  ['a byte order mark', '\uFEFFdata=x'],
  ['two of them', '\uFEFF\uFEFFdata=x'],
  ['bytes that are not UTF-8', Uint8Array.of(0xff, 0x00)],
  ['nothing', ''],
])('listen --save keeps every byte of %s', (_, body) => {
  const bytes = Buffer.from(body as string)
  const text = bodyText(bytes)
  expect(Buffer.from(text.body, text.encoding)).toEqual(bytes)
})

it.each(['the first', 'the last'])('a receiver has one deadline to %s byte of its response', async (byte) => {
  const { origin, close } = await serveOnNode(async () => {
    if (byte === 'the first') await sleep(2000)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (++sent > 20) return controller.close()
        controller.enqueue(Uint8Array.of(120))
        await sleep(100)
      },
    })
    return new Response(body)
  })
  const reply = await sendRequest(origin, 'POST', [], new Uint8Array(), 300)
  await close()
  expect(reply).toMatchObject({ status: null, error: 'no response within 0.3 s' })
})

const { body: FORM } = signWebhook({ method: 'loyalty', order_id: 'A-1' }, 'secret')
const { body: FORGED } = signWebhook({ method: 'loyalty', order_id: 'A-1' }, 'another')
const NO_JSON = FORGED.replace(/data=[^&]*/, 'data=bm8%3D')
const PLUS = 'plus_became_space'

it.each([
  ['a genuine webhook', { body: FORM }, 200, undefined, undefined],
  ['another secret', { body: FORGED }, 401, 'signature_mismatch', ['wrong_secret']],
  ['data that is not JSON', { body: NO_JSON }, 401, 'signature_mismatch', ['damaged_data']],
  ['lost padding', { body: FORM.replace(/(=|%3D)+$/, '') }, 401, 'signature_length', ['lost_padding']],
  ['an unescaped +', { body: 'data=e30&signature=a+b' }, 401, PLUS, [PLUS, 'wrong_secret']],
  ['no signature', { body: 'data=e30' }, 400, 'missing_field', ['missing_field']],
  ['two signatures', { body: `${FORM}&signature=x` }, 400, 'duplicate_field', ['duplicate_field']],
  ['another verb', { body: FORM, method: 'PUT' }, 405, 'method', []],
  ['another type', { body: FORM, headers: { 'content-type': 'text/xml' } }, 415, 'content_type', []],
  ['2 MB', { body: `data=${'x'.repeat(2_000_000)}` }, 413, 'too_large', []],
])('listen reports of %s why it is rejected', async (_, given, status, reason, causes) => {
  const heard: Heard[] = []
  const onHeard = (one: Heard) => heard.push(one)
  const listen = createListener({ secrets: [{ name: 'one', value: 'secret' }], onHeard, onForwarded() {} })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await listen(new Request('http://127.0.0.1/', { method: 'POST', headers, ...given }))
  expect(response.status).toBe(status)
  expect((await response.text()) === '').toBe(status === 200)
  expect(heard).toHaveLength(1)
  const [{ event, ...one } = {} as Heard] = heard
  expect([one.status, one.reason, one.causes]).toEqual([status, reason, causes])
  expect(event === undefined).toBe(reason !== undefined)
})

it('nobody else can read what is saved, and replay sends it where it went', async () => {
  const { origin, close } = await serveOnNode(async () => new Response())
  const [url, forwarded] = [`${origin}/listen`, `${origin}/shop`]
  const folder = temporaryFolder()
  const form = { method: 'POST', url, headers: [], summary: '', body: '' }
  for (const [i, forwarded_to] of [forwarded, null].entries()) {
    const file = await saveReceived(
      folder,
      { ...form, encoding: 'utf8', received_at: '2026-01-31T10:00Z', forwarded_to },
      i,
    )
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  }
  const sentTo = async (...words: string[]) => (await runVerb(replay, [folder, ...words])).out.match(/http\S+(?=: )/g)
  expect([await sentTo(), await sentTo('--to', origin)]).toEqual([
    [forwarded, url],
    [origin, origin],
  ])
  await close()
})

it('an env file comes before the environment, and names the previous secret too', async () => {
  const file = join(temporaryFolder(), '.env')
  writeFileSync(file, 'EDGETILL_API_SECRET=new\nEDGETILL_API_SECRET_PREVIOUS=old\n')
  const both = { EDGETILL_API_SECRET: 'new', EDGETILL_API_SECRET_PREVIOUS: 'old', EDGETILL_POS_ID: 'p' }
  expect(await readVariables(file, { EDGETILL_API_SECRET: 'x', EDGETILL_POS_ID: 'p' })).toEqual(both)
  const secrets = await readSecrets({ envFile: file })
  expect(secrets.map(({ value }) => value)).toEqual(['new', 'old'])
})
