import type { Context } from './context.ts'
import type { Emulator, Shops } from './control/emulator-controls.ts'
import type { Snapshot } from './domain/snapshot.ts'
import { type Credentials, type EmulatorOptions, SHOP, type ShopOptions } from './options.ts'
import { InputError, parseInput } from './parse-input.ts'
import type { ClockSource } from './state/clock.ts'
import { createIds, createRandom, hashOf } from './state/random.ts'
import { parseMoment } from './state/time.ts'

export type SavedShops = readonly { options: ShopOptions; snapshot: Snapshot }[]

export interface ShopBook extends Shops {
  /** The shop that a request is for; undefined for the emulator's own. */
  of(request: Request): Emulator | undefined
  save(): SavedShops
  /** Makes the stored shops, and returns a function that replaces the present shops. @throws {ConfigError} */
  read(saved: SavedShops): () => void
}

export interface Assembled {
  emulator: Emulator
  context: Context
}

export interface ShopParts {
  options: EmulatorOptions
  own: Credentials
  make(options: EmulatorOptions, name: string): Assembled
}

interface Shop extends Assembled {
  settings: ShopOptions
}

/** Far more than tests that run at the same time: a loop that forgets to end them must not fill the memory. */
const MAX_SHOPS = 1000

export function createShops({ options, own, make }: ShopParts): ShopBook {
  let shops = new Map<string, Shop>()

  function build(input: ShopOptions, name: string, others: ReadonlyMap<string, Shop>): Shop {
    const { name: _, clock, credentials, ...more } = parseInput(SHOP, input)
    const seed = hashOf(name)
    const assembled = make(
      {
        ...options,
        seed,
        ...more,
        ...(clock !== undefined && { clock: typeof clock === 'string' ? standing(clock) : clock }),
        credentials: { ...options.credentials, ...credentialsOf(name), ...credentials },
        onActivity: (activity) => options.onActivity?.({ ...activity, shop: name }),
      },
      name,
    )
    const taken = [own, ...[...others.values()].map(({ emulator }) => emulator.credentials)]
    for (const field of ['apiKey', 'posId'] as const) {
      if (taken.every((one) => one[field] !== assembled.emulator.credentials[field])) continue
      throw new InputError(`credentials.${field}: another shop has it.`, `credentials.${field}`)
    }
    // A function cannot be stored.
    return {
      ...assembled,
      settings: { ...input, name, ...(typeof clock === 'object' && { clock: undefined as never }) },
    }
  }

  function end(name: string): void {
    const shop = shops.get(name)
    if (shop === undefined) throw new InputError(`No shop has the name ${JSON.stringify(name)}.`)
    shops.delete(name)
    shop.emulator.reset()
  }

  function freeName(): string {
    for (let number = 1; ; number++) if (!shops.has(`shop-${number}`)) return `shop-${number}`
  }

  function find(request: Request): Shop | undefined {
    const { pathname, searchParams } = new URL(request.url)
    const [, home] = /^\/_emulator\/shops\/([^/]+)/.exec(pathname) ?? []
    const [, checkout] = /^\/api\/v1\/checkout\/([^/]+)/.exec(pathname) ?? []
    const name = home ?? (checkout === undefined ? undefined : searchParams.get('shop'))
    if (typeof name === 'string') return shops.get(name)
    const all = [...shops.values()]
    if (checkout !== undefined) return all.find(({ context }) => context.state.checkouts.has(checkout))
    const key = /^\S+ ([^:]*):/.exec(request.headers.get('x-api-auth') ?? '')?.[1]
    return all.find(({ emulator }) => emulator.credentials.apiKey === key)
  }

  return {
    create(input = {}) {
      const { name = freeName() } = parseInput(SHOP, input)
      if (shops.has(name)) throw new InputError(`name: there is a shop ${name}. End it first, or leave the name out.`)
      if (shops.size >= MAX_SHOPS) throw new InputError(`There are ${MAX_SHOPS} shops: end those that are done.`)
      const shop = build(input, name, shops)
      shops.set(name, shop)
      return shop.emulator
    },
    get: (name) => shops.get(name)?.emulator,
    list: () => [...shops.values()].map(({ emulator }) => emulator),
    end,
    endAll() {
      const names = [...shops.keys()]
      names.forEach(end)
      return names
    },
    of: (request) => (shops.size === 0 ? undefined : find(request)?.emulator),
    save: () =>
      [...shops.values()].map(({ emulator, settings }) => ({ options: settings, snapshot: emulator.snapshot() })),
    read(saved) {
      const read = new Map<string, Shop>()
      for (const { options, snapshot } of saved) {
        const { name = '' } = options
        const shop = build(options, name, read)
        shop.emulator.restore(snapshot)
        read.set(name, shop)
      }
      return () => {
        for (const { emulator } of shops.values()) emulator.reset()
        shops = read
      }
    },
  }
}

function standing(at: string): ClockSource {
  const now = parseMoment(at)
  return { now: () => now }
}

function credentialsOf(name: string): Omit<Credentials, 'baseUrl' | 'apiUrl' | 'scheme'> {
  return {
    posId: createIds(createRandom(hashOf(`pos ${name}`))).uuid(),
    apiKey: `emulator-api-key-${name}`,
    apiSecret: `emulator-api-secret-${name}`,
    endpointsKey: `emulator-endpoints-key-${name}`,
  }
}
