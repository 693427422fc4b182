import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { serveOnNode } from '../../../src/cli/service/serve-node.ts'
import { bodyText } from '../../../src/cli/webhooks/received.ts'
import { sendRequest } from '../../../src/cli/webhooks/send.ts'

it.each([
  ['a form', 'data=e30%3D&signature=x'],
  ['a byte order mark', '\uFEFFdata=x'],
  ['two of them', '\uFEFF\uFEFFdata=x'],
  ['bytes that are not UTF-8', Uint8Array.of(0xff, 0x00)],
  ['nothing', ''],
])('listen --save keeps every byte of %s', (_, body) => {
  const bytes = Buffer.from(body as string)
  const kept = bodyText(bytes)
  expect(Buffer.from(kept.body, kept.encoding)).toEqual(bytes)
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
  expect(reply.ms).toBeLessThan(1500)
})
