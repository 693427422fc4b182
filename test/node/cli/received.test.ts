import { expect, it } from 'vitest'
import { bodyText } from '../../../src/cli/webhooks/received.ts'

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
