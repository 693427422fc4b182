import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator/index.ts'
import { root } from '../support/runtimes.ts'
import { blocks } from '../support/snippets.ts'
import { against } from '../support/verb.ts'

export default function tests(): void {
  it('examples/README.md sets the emulator’s settings, and runs scripts that are there', () => {
    const [script = ''] = blocks('examples/README.md', 'sh').map(({ code }) => code)
    const set = Object.fromEntries(
      [...script.matchAll(/(EDGETILL_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    expect(set).toMatchObject(against(createEmulator({ origin: 'http://127.0.0.1:4010' })).environment)
    const named = [...script.matchAll(/examples\/([\w-]+\.ts)/g)].map(([, file]) => file as string)
    expect(named).toHaveLength(3)
    expect(readdirSync(join(root, 'examples'))).toEqual(expect.arrayContaining(named))
  })
}
