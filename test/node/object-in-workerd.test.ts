import { beforeAll, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { BEHAVIOURS } from '../testing/behaviours.ts'
import { bindings } from '../worker/support/world.ts'
import { bundled, openWorkerd } from './support/workerd.ts'

let workerd: ReturnType<typeof openWorkerd>
beforeAll(async () => {
  const contents = await bundled('object-worker.ts')
  const objects = { OBJECTS: 'Behaving', DIRECTOR: 'Director' }
  workerd = openWorkerd({ contents, objects, bindings: bindings(createEmulator().credentials) })
  await workerd.ready
  return () => workerd.dispose()
}, 60_000)

async function post<T>(path: string, body: unknown): Promise<T> {
  const init = { method: 'POST', body: JSON.stringify(body) }
  return (await (await workerd.dispatchFetch(`https://worker.test/${path}`, init)).json()) as T
}

// test/testing/object-double.test.ts plays the same over the double.
it('Durable Objects of workerd behave as the double has them, but where the table says otherwise', async () => {
  const seen = await post<unknown[]>('behaviours', {})
  const named = BEHAVIOURS.map(({ name }, index) => [name, seen[index]])
  expect(named).toEqual(BEHAVIOURS.map(({ name, seen }) => [name, seen]))
}, 120_000)
