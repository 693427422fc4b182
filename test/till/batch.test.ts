// Several statements at once, all or none.
import { expect, it } from 'vitest'
import type { TillDatabase } from '../../src/till/index.ts'
import { playBatch } from './support/batch.ts'
import { openDatabase } from './support/open-till.ts'

it('writes all statements of a batch or none', async () => {
  const { batch } = await playBatch((await openDatabase()) as Required<TillDatabase>)
  expect(batch).toEqual([[{ id: 'a', n: 1 }], [], [{ id: 'c', n: 3 }]])
})
