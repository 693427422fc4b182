import { describe, expect, it } from 'vitest'
import { createKvDouble, type KvBehaviour } from '../../src/testing/index.ts'
import { createRandom, seedOfRun } from '../worker/support/random.ts'

function create(behaviour: Partial<KvBehaviour> = {}) {
  const clock = { time: 1_000_000 }
  const double = createKvDouble({ now: () => clock.time, random: createRandom(seedOfRun()), ...behaviour })
  return { clock, double, kv: double.at('FRA'), elsewhere: double.at('WAW') }
}

const keys = async (kv: ReturnType<typeof create>['kv'], options = {}): Promise<string[]> =>
  (await kv.list(options)).keys.map(({ name }) => name)

describe('the KV double rejects what the real one rejects', () => {
  it('keys, metadata, lives and pages beyond the limits', async () => {
    const { kv, clock } = create()
    await kv.put('ї'.repeat(256), 'x')
    await expect(kv.put('ї'.repeat(257), 'x')).rejects.toThrow('512')
    for (const key of ['', '.', '..']) await expect(kv.put(key, 'x')).rejects.toThrow()
    await kv.put('a', 'x', { metadata: { text: 'x'.repeat(1024 - 11) } })
    clock.time += 1000
    await expect(kv.put('a', 'x', { metadata: { text: 'x'.repeat(1024 - 10) } })).rejects.toThrow('1024')
    await expect(kv.put('b', 'x', { expirationTtl: 59 })).rejects.toThrow('60')
    await expect(kv.list({ limit: 1001 })).rejects.toThrow('1001')
    expect(() => createKvDouble({ lag: 60_000 } as never)).toThrow('Unknown behaviour field "lag"')
  })

  it('a second write to a key within a second, wherever it comes from', async () => {
    const { kv, elsewhere, clock } = create()
    await kv.put('a', '1')
    await kv.put('b', '1')
    await expect(kv.put('a', '2')).rejects.toThrow('429')
    await expect(elsewhere.delete('a')).rejects.toThrow('429')
    clock.time += 1000
    await kv.put('a', '2')
    expect(await kv.get('a')).toBe('2')
  })
})

describe('the KV double reads', () => {
  it('texts and JSON, with their metadata', async () => {
    const { kv } = create()
    await kv.put('a', '{"n":1}', { metadata: { of: 'a' } })
    expect([await kv.get('a'), await kv.get('a', 'text')]).toEqual(['{"n":1}', '{"n":1}'])
    expect([await kv.get('a', 'json'), await kv.get('a', { type: 'json', cacheTtl: 60 })]).toEqual([{ n: 1 }, { n: 1 }])
    expect(await kv.getWithMetadata('a', 'json')).toEqual({ value: { n: 1 }, metadata: { of: 'a' }, cacheStatus: null })
    expect(await kv.getWithMetadata('b')).toEqual({ value: null, metadata: null, cacheStatus: null })
    await expect(kv.get('a', 'stream' as 'text')).rejects.toThrow('text and json, not stream')
  })

  it('on the system clock, strict and from one location, unless it is asked for more', async () => {
    const double = createKvDouble()
    await double.at().put('a', '1')
    await expect(double.at().put('a', '2')).rejects.toThrow('429')
    expect(await double.at('WAW').get('a')).toBe('1')
  })
})

describe('the KV double is as bad as the real one may be', () => {
  it('shows a write elsewhere after the lag only, in reads and lists', async () => {
    const { kv, elsewhere, clock } = create({ lagMs: 60_000 })
    await kv.put('a', '1')
    expect([await kv.get('a'), await keys(kv)]).toEqual(['1', ['a']])
    expect([await elsewhere.get('a'), await keys(elsewhere)]).toEqual([null, []])
    clock.time += 59_999
    expect([await elsewhere.get('a'), await keys(elsewhere)]).toEqual([null, []])
    clock.time += 1
    expect([await elsewhere.get('a'), await keys(elsewhere)]).toEqual(['1', ['a']])
  })

  it('keeps an absence, and an old value, where they were read', async () => {
    const { kv, clock } = create({ lagMs: 60_000 })
    expect(await kv.get('a')).toBe(null)
    await kv.put('a', '1')
    expect(await kv.get('a')).toBe(null)
    clock.time += 60_000
    expect(await kv.get('a')).toBe('1')
    await kv.put('a', '2')
    expect(await kv.get('a')).toBe('1')
  })

  it('returns empty pages that are not the end, and lists in the order of bytes', async () => {
    const { kv } = create({ emptyPages: 0.5 })
    const names = ['a', 'b/1', 'b/2', 'ї', '🎁', '\uffee']
    for (const name of [...names].reverse()) await kv.put(name, 'x')
    const found: string[] = []
    let empty = 0
    let cursor: string | undefined
    do {
      const page = await kv.list({ limit: 2, ...(cursor !== undefined && { cursor }) })
      if (page.keys.length === 0) empty++
      found.push(...page.keys.map(({ name }) => name))
      cursor = page.list_complete ? undefined : page.cursor
    } while (cursor !== undefined || empty === 0)
    // The end may come before the first empty page: then everything is listed again.
    expect(found.slice(0, 6)).toEqual(['a', 'b/1', 'b/2', 'ї', '\uffee', '🎁'])
  })

  it('fails at random, sometimes after it wrote', async () => {
    const { kv, double, clock } = create({ failures: 0.5 })
    let failed = 0
    for (let i = 0; i < 200; i++) {
      await kv.put(`key-${i}`, 'x').catch(() => failed++)
      clock.time += 1
    }
    const stored = double.dump().size
    expect(failed).toBeGreaterThan(50)
    expect(stored).toBeGreaterThan(200 - failed)
    expect(stored).toBeLessThan(200)
  })

  it('forgets what has expired', async () => {
    const { kv, clock } = create()
    await kv.put('a', 'x', { expirationTtl: 60 })
    clock.time += 59_999
    expect(await kv.get('a')).toBe('x')
    clock.time += 1
    expect([await kv.get('a'), await keys(kv)]).toEqual([null, []])
  })
})
