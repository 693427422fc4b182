import * as v from 'valibot'
import { fields, parseInput } from '../emulator/parse-input.ts'

/** Failures to simulate. By default the double only enforces the real KV's limits. */
export interface KvBehaviour {
  /** Milliseconds since 1970; default the system clock. */
  now?: () => number
  /** In [0, 1); default `Math.random`. */
  random?: () => number
  /**
   * A write becomes visible at other locations only after this time. A location also keeps a value that it has read, or
   * its absence, for this time. Default 0.
   */
  lagMs?: number
  /** Probability of a 500 for each call; half of the writes that fail so were executed all the same. Default 0. */
  failures?: number
  /** Probability of an empty page with `list_complete: false`. Default 0. */
  emptyPages?: number
}

interface Write {
  at: number
  location: string
  /** Undefined for a deletion. */
  value: string | undefined
  metadata: unknown
  expiresAt: number
}

/** The written values, to look at from outside. */
export interface KvDouble {
  /**
   * The namespace as it is seen from one location; default `FRA`. It has the type that its place expects, such as the
   * `KVNamespace` of a Worker's types; only texts and JSON can be read and written.
   */
  at<Namespace = KvDoubleNamespace>(location?: string): Namespace
  /** The newest state of everything, which no location has to see. */
  dump(): Map<string, { value: string; metadata: unknown; expiresAt: number }>
  /** Every write that was accepted, in order. */
  readonly writes: { key: string; deleted: boolean; metadata: unknown; ttl: number | undefined }[]
  /** Calls so far, by kind. */
  readonly calls: { get: number; put: number; delete: number; list: number }
  /** Called before each operation. If it throws, the operation fails with the same error. */
  before: ((action: 'get' | 'put' | 'delete' | 'list', key: string) => void) | undefined
}

/** The part of Workers KV that the double has. */
export interface KvDoubleNamespace {
  /** The text of a key, or its JSON value; null when there is none. */
  get(key: string, type?: KvValueType): Promise<unknown>
  /** The same with the metadata. */
  getWithMetadata(key: string, type?: KvValueType): Promise<{ value: unknown; metadata: unknown; cacheStatus: null }>
  /** Writes a text of at most 25 MiB; 429 within a second of the last write. */
  put(key: string, value: string, options?: { metadata?: unknown; expirationTtl?: number }): Promise<void>
  /** Deletes a key; 429 within a second of the last write. */
  delete(key: string): Promise<void>
  /** At most 1000 keys, in UTF-8 byte order. */
  list(options?: { prefix?: string; limit?: number; cursor?: string | null }): Promise<KvDoubleList>
}

/** A page of keys. */
export interface KvDoubleList {
  /** Each with its metadata, if it has some. */
  keys: { name: string; metadata?: unknown }[]
  /** Whether this was the last page. More pages may follow an empty page. */
  list_complete: boolean
  /** Leads to the next page. */
  cursor?: string
  cacheStatus: null
}

/** How a value is read. */
export type KvValueType = 'text' | 'json' | { type?: 'text' | 'json' | undefined; cacheTtl?: number }

const SECOND = 1000
const any = v.optional(v.unknown())
const BEHAVIOUR = fields('behaviour', { now: any, random: any, lagMs: any, failures: any, emptyPages: any })
const encoder = new TextEncoder()
const bytes = (text: string): number => encoder.encode(text).length

/**
 * Workers KV in memory, as its documentation warns of it: 429 for two writes of a key within a second, limits of keys,
 * values, metadata and times to live, and, if requested, stale reads, failures and empty pages. The local KV of
 * wrangler does none of this.
 *
 * @param behaviour The failures to simulate, and the clock; everything has defaults.
 * @throws {ConfigError} for an unknown option: without it the double would fail less than you asked for.
 * @example
 * import { createKvDouble } from 'edgetill/testing'
 * const clock = { time: Date.parse('2026-03-01T10:00:00Z') }
 * const kv = createKvDouble({ now: () => clock.time, lagMs: 60_000 })
 * await kv.at('FRA').put('order/A-1', 'paid', { expirationTtl: 3600 })
 * await kv.at('WAW').get('order/A-1') // null: not seen there yet
 */
export function createKvDouble(behaviour: KvBehaviour = {}): KvDouble {
  parseInput(BEHAVIOUR, behaviour)
  const { now = Date.now, random = Math.random, lagMs = 0, failures = 0, emptyPages = 0 } = behaviour
  const log = new Map<string, Write[]>()
  /** Values that a location has read, and will read again for a while. */
  const cache = new Map<string, { until: number; write: Write | undefined }>()
  const double: KvDouble = {
    at: <Namespace>(location = 'FRA') => namespace(location) as Namespace,
    dump: () => {
      const newest = [...log].map(([key, writes]) => [key, writes.at(-1) as Write & { value: string }] as const)
      return new Map(newest.filter(([, { value, expiresAt }]) => value !== undefined && expiresAt > now()))
    },
    writes: [],
    calls: { get: 0, put: 0, delete: 0, list: 0 },
    before: undefined,
  }

  /** The newest write that a location may see: its own at once, another's only after the lag. */
  function visible(key: string, location: string): Write | undefined {
    const writes = log.get(key) ?? []
    const seen = writes.filter((write) => write.location === location || now() - write.at >= lagMs)
    const newest = seen.at(-1)
    return newest && newest.expiresAt > now() && newest.value !== undefined ? newest : undefined
  }

  function begin(action: 'get' | 'put' | 'delete' | 'list', key: string): void {
    double.calls[action]++
    double.before?.(action, key)
  }

  function checkKey(key: string): void {
    if (key === '' || key === '.' || key === '..') throw new TypeError(`KV: a key must not be ${JSON.stringify(key)}.`)
    if (bytes(key) > 512)
      throw new Error(`KV PUT failed: 414 UTF-8 encoded length of ${bytes(key)} exceeds key length limit of 512.`)
  }

  function write(key: string, location: string, entry: Omit<Write, 'at' | 'location'>, verb: string): void {
    checkKey(key)
    const writes = log.get(key) ?? []
    const last = writes.at(-1)
    if (last && now() - last.at < SECOND) throw new Error(`KV ${verb} failed: 429 Too Many Requests`)
    const fails = random() < failures
    if (!fails || random() < 0.5) {
      writes.push({ ...entry, at: now(), location })
      log.set(key, writes)
      // A location that had cached the absence goes on serving it: only reads that were not cached see the write.
      if (lagMs === 0) cache.delete(`${location}\n${key}`)
    }
    if (fails) throw new Error(`KV ${verb} failed: 500 Internal Server Error`)
  }

  function read(key: string, location: string): Write | undefined {
    checkKey(key)
    begin('get', key)
    if (random() < failures) throw new Error('KV GET failed: 500 Internal Server Error')
    const cacheKey = `${location}\n${key}`
    const cached = cache.get(cacheKey)
    if (cached && cached.until > now()) return cached.write
    const found = visible(key, location)
    if (lagMs > 0) cache.set(cacheKey, { until: now() + lagMs, write: found })
    return found
  }

  function namespace(location: string): KvDoubleNamespace {
    return {
      async get(key, type) {
        return valueAs(type, read(key, location)?.value)
      },
      async getWithMetadata(key, type) {
        const found = read(key, location)
        return { value: valueAs(type, found?.value), metadata: found?.metadata ?? null, cacheStatus: null }
      },
      async put(key, value, options = {}) {
        begin('put', key)
        const { metadata = null, expirationTtl: ttl } = options
        const text = JSON.stringify(metadata)
        if (bytes(text) > 1024)
          throw new Error(`KV PUT failed: 413 Metadata length of ${bytes(text)} exceeds limit of 1024.`)
        if (ttl !== undefined && !(Number.isInteger(ttl) && ttl >= 60)) {
          throw new Error(`KV PUT failed: 400 Invalid expiration_ttl of ${ttl}. Expiration TTL must be at least 60.`)
        }
        if (typeof value !== 'string' || bytes(value) > 25 * 2 ** 20)
          throw new Error('KV PUT failed: 413 Value length exceeds limit.')
        const expiresAt = ttl === undefined ? Number.POSITIVE_INFINITY : now() + ttl * SECOND
        write(key, location, { value, metadata: JSON.parse(text), expiresAt }, 'PUT')
        double.writes.push({ key, deleted: false, metadata, ttl })
      },
      async delete(key) {
        begin('delete', key)
        write(key, location, { value: undefined, metadata: null, expiresAt: Number.POSITIVE_INFINITY }, 'DELETE')
        double.writes.push({ key, deleted: true, metadata: null, ttl: undefined })
      },
      async list(options = {}) {
        const { prefix = '', limit = 1000, cursor } = options
        begin('list', prefix)
        if (random() < failures) throw new Error('KV LIST failed: 500 Internal Server Error')
        if (!(limit >= 1 && limit <= 1000)) throw new Error(`KV LIST failed: 400 Invalid key_count_limit of ${limit}.`)
        const after = cursor ? decodeCursor(cursor) : ''
        if (random() < emptyPages)
          return { keys: [], list_complete: false, cursor: encodeCursor(after), cacheStatus: null }
        const isListed = (key: string) => key.startsWith(prefix) && (after === '' || inByteOrder(after, key) < 0)
        const keys = [...log.keys()].filter((key) => isListed(key) && visible(key, location)).sort(inByteOrder)
        const page = keys.slice(0, limit).map((name) => {
          const metadata = visible(name, location)?.metadata
          return metadata === null ? { name } : { name, metadata }
        })
        const next = keys.length > limit && { cursor: encodeCursor(keys[limit - 1] as string) }
        return { keys: page, list_complete: !next, ...next, cacheStatus: null }
      },
    }
  }
  return double
}

function valueAs(type: KvValueType | undefined, text: string | undefined): unknown {
  const format = typeof type === 'object' ? (type.type ?? 'text') : (type ?? 'text')
  if (format !== 'text' && format !== 'json') throw new TypeError(`The KV double reads text and json, not ${format}.`)
  if (text === undefined) return null
  return format === 'json' ? JSON.parse(text) : text
}

function inByteOrder(a: string, b: string): number {
  const [x, y] = [encoder.encode(a), encoder.encode(b)]
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const difference = (x[i] as number) - (y[i] as number)
    if (difference !== 0) return difference
  }
  return x.length - y.length
}

const encodeCursor = (key: string): string => `after ${encodeURIComponent(key)}`

function decodeCursor(cursor: string): string {
  if (!cursor.startsWith('after ')) throw new Error('KV LIST failed: 400 Invalid cursor.')
  return decodeURIComponent(cursor.slice(6))
}
