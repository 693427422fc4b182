import { beforeEach, describe, expect, it } from 'vitest'
import type { ShopEnv } from '../../src/shop/env.ts'
import type { ObjectState } from '../../src/shop/runtime.ts'
import type { DurableStorage } from '../../src/till/index.ts'
import { createObjectDouble } from '../worker/support/object-double.ts'
import { BEHAVIOURS, type Counts, objectClass, play } from './behaviours.ts'

async function openObject() {
  let opened: ObjectState | undefined
  class ShopObject {
    constructor(state: ObjectState) {
      opened = state
    }
    fetch = async () => new Response()
  }
  const object = createObjectDouble({ ShopObject })
  await object
    .namespace(() => ({}) as ShopEnv)
    .get('shop' as never)
    .fetch('https://till/', { method: 'POST', body: '' })
  return { object, storage: (opened as unknown as ObjectState).storage }
}

describe('the SQLite of an object', () => {
  let object: Awaited<ReturnType<typeof openObject>>['object']
  let storage: DurableStorage
  const put = (id: string, value: string | number | null = 1) =>
    storage.sql.exec('INSERT INTO note (id, value) VALUES (?, ?)', id, value)
  const ids = () =>
    storage.sql
      .exec('SELECT id FROM note ORDER BY id')
      .toArray()
      .map((row) => (row as { id: string }).id)

  beforeEach(async () => {
    ;({ object, storage } = await openObject())
    storage.sql.exec('CREATE TABLE note (id TEXT PRIMARY KEY, value) WITHOUT ROWID')
  })

  it('takes what is just within the limits', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => `${i}`)
    storage.sql.exec(`INSERT INTO note VALUES ${'(?, 1),'.repeat(99)}(?, null)`, ...hundred)
    put('big', 'x'.repeat(2 * 2 ** 20 - 100))
    expect(ids()).toHaveLength(101)
    // As Cloudflare’s documents say: workerd on one machine has no such limit.
    expect(() => put('bigger', 'x'.repeat(2 * 2 ** 20))).toThrow()
  })

  it('counts the rows that are read and written', () => {
    const { rowsRead, rowsWritten } = object.calls
    put('a')
    put('b')
    ids()
    expect([object.calls.rowsRead - rowsRead, object.calls.rowsWritten - rowsWritten]).toEqual([2, 2])
  })
})

it('gives a response when a write that takes a while is on disk', async () => {
  let write = () => {}
  const disk = new Promise<void>((resolve) => {
    write = resolve
  })
  const seen: string[] = []
  class ShopObject {
    private readonly state: ObjectState
    constructor(state: ObjectState) {
      this.state = state
    }
    fetch = async () => {
      this.state.storage.sql.exec('CREATE TABLE note (id TEXT)')
      return new Response()
    }
  }
  const object = createObjectDouble({ ShopObject })
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    await disk
    seen.push('on disk')
    return work()
  }
  object.restart({ ShopObject, call })
  const stub = object.namespace(() => ({}) as ShopEnv).get('shop' as never)
  const responded = stub.fetch('https://till/', { method: 'POST', body: '' }).then(() => seen.push('responded'))
  // A turn of the event loop, in which nothing may come.
  await new Promise((resolve) => setTimeout(resolve))
  write()
  await responded
  expect(seen).toEqual(['on disk', 'responded'])
})

// test/node/object-in-workerd.test.ts plays the same over workerd’s objects.
it.each(BEHAVIOURS)('behaves as in workerd: $name', async (behaviour) => {
  const counts: Counts = { sent: 0 }
  let before = 0
  const ShopObject = objectClass(counts, {
    die: () => object.restart(),
    send: () => void counts.sent++,
    written() {
      const { rowsWritten } = object.calls
      const rows = rowsWritten - before
      before = rowsWritten
      return rows
    },
  })
  const object = createObjectDouble({ ShopObject })
  const namespace = object.namespace(() => ({}) as ShopEnv)
  const call = async (body: string): Promise<unknown> => {
    before = object.calls.rowsWritten
    const responded = namespace.get('shop' as never).fetch('https://object/', { method: 'POST', body })
    return responded.then((response) => response.json()).catch(() => 'rejected')
  }
  expect(await play(behaviour, call)).toEqual(behaviour.double?.seen ?? behaviour.seen)
})
