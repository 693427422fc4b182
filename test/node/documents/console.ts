import { describe, expect, it } from 'vitest'
import { Document } from '../support/document.ts'
import { load } from '../support/program.ts'

export default function tests(): void {
  describe('guides/console.md', () => {
    const program = Document.of('guides/console.md').program('Who gets in')

    it('has a program whose console lets nobody in without a token of Access', async () => {
      const { app } = (await load(program)) as {
        app: { request: (url: string, init: object, env: object) => Promise<Response> }
      }
      const response = await app.request('https://shop.example.com/console', {}, {})
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('No access')])
    })
  })
}
