import { expect, it } from 'vitest'
import { serve } from './support/fixtures.ts'

it.each(['http://127.0.0.1:4010/', 'http://localhost:8787/', 'https://shop.example/', 'http://192.0.2.1/'])(
  'a test reaches only what it has started: not %s',
  async (url) => {
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  },
)

it('and what it has started', async () => {
  const { origin } = await serve(() => new Response('here'))
  expect(await (await fetch(origin)).text()).toBe('here')
})
