import { expect, it } from 'vitest'
import { bundled, openWorkerd } from './support/workerd.ts'

it('keeps a till in the SQLite of a Durable Object, where an absence counts after two minutes', async () => {
  const contents = await bundled('till-object.ts')
  const worker = openWorkerd({ contents, objects: { TILL: 'TillObject' } })
  try {
    const response = await worker.dispatchFetch('http://shop.local/')
    const { words, made, heard, flags, attention } = (await response.json()) as Record<string, unknown>
    expect((words as string[]).filter((word) => word === 'done' || word.startsWith('unknown'))).not.toEqual([])
    expect((words as string[]).slice(-4)).toEqual(['done', 'unknown', 'unknown', 'rejected not_executed'])
    expect([made, flags, attention]).toEqual([1, [], []])
    expect((heard as string[]).toSorted()).toEqual(['purchase', 'refund'])
  } finally {
    await worker.dispose()
  }
}, 60_000)
