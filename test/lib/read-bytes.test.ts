import { expect, it } from 'vitest'
import { abandon, readBytes } from '../../src/lib/read-bytes.ts'

const chunks = (...parts: number[][]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(new Uint8Array(part))
      controller.close()
    },
  })
const source = (body: ReadableStream<Uint8Array> | null, length?: string) => ({
  body,
  headers: new Headers(length === undefined ? {} : { 'content-length': length }),
})

it('joins the pieces of a body', async () => {
  expect(await readBytes(source(chunks([1, 2], [], [3], [4, 5])), 5)).toEqual(new Uint8Array([1, 2, 3, 4, 5]))
  expect(await readBytes(source(chunks([1, 2])), 5)).toEqual(new Uint8Array([1, 2]))
  expect(await readBytes(source(chunks()), 5)).toEqual(new Uint8Array())
  expect(await readBytes(source(null), 5)).toEqual(new Uint8Array())
})

it('stops at the limit, whatever length was declared', async () => {
  expect(await readBytes(source(chunks([1, 2], [3])), 2)).toBeUndefined()
  expect(await readBytes(source(chunks([1, 2], [3]), '1'), 2)).toBeUndefined()
  expect(await readBytes(source(chunks([1]), '3'), 2)).toBeUndefined()
  expect(await readBytes(source(chunks([1, 2]), 'nonsense'), 2)).toEqual(new Uint8Array([1, 2]))
})

it('abandons a body, even one that is broken or absent', async () => {
  await abandon(null)
  const broken = new ReadableStream({ start: (controller) => controller.error(new Error('x')) })
  await abandon(broken)
  await expect(broken.getReader().read()).rejects.toThrow('x')
})
