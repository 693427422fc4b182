import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { serve } from './support/fixtures.ts'

it('carries bytes both ways unchanged', async () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256)
  const { origin } = await serve(async (request) => new Response(await request.arrayBuffer()))
  const response = await fetch(origin, { method: 'POST', body: bytes })
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
})

it('streams: the first piece arrives before the last is made', async () => {
  const { promise: last, resolve: finish } = Promise.withResolvers<void>()
  async function* parts() {
    yield Buffer.from('first')
    await last
    yield Buffer.from('last')
  }
  const { origin } = await serve(() => new Response(Readable.toWeb(Readable.from(parts())) as ReadableStream))
  const reader = (await fetch(origin)).body?.pipeThrough(new TextDecoderStream()).getReader()
  expect(await reader?.read()).toEqual({ done: false, value: 'first' })
  finish()
  expect(await reader?.read()).toEqual({ done: false, value: 'last' })
  expect((await reader?.read())?.done).toBe(true)
})

it('keeps status, several cookies and empty bodies', async () => {
  const { origin } = await serve(() => {
    const headers = new Headers({ location: '/there' })
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    return new Response(null, { status: 303, headers })
  })
  const response = await fetch(origin, { redirect: 'manual' })
  expect([response.status, response.headers.get('location'), await response.text()]).toEqual([303, '/there', ''])
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
})

it('a throw is a plain 500 that reveals nothing', async () => {
  const { origin } = await serve(() => {
    throw new Error('a secret')
  })
  const response = await fetch(origin)
  expect([response.status, await response.text()]).toEqual([500, 'Internal error\n'])
})

it('rejects when the port is taken', async () => {
  const { port } = await serve(() => new Response())
  await expect(serveOnNode(() => new Response(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

it('close ends connections that are open', async () => {
  const served = await serveOnNode(() => new Response(new ReadableStream()))
  const response = await fetch(served.origin)
  const reading = expect(response.text()).rejects.toThrow()
  await served.close()
  await reading
})
