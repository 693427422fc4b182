import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cycles, type Import, importsOf } from './support/imports.ts'
import { filesUnder, root } from './support/runtimes.ts'

/**
 * The rooms of src, lowest first: a folder, or a file that stands in no folder. A room imports from rooms above it in this list
 * only, types included. The console is a room inside the shop: the shop does without it.
 */
const ROOMS = (
  'lib/ errors.ts card/ schemas/ hooks.ts config.ts helpers/ webhooks/ adapters/ http/ orders/ operations/ ' +
  'outcome/ checkout-link/ client/ index.ts till/ shop/ shop/console/ emulator/ testing/ cli/'
).split(' ')

/** The room of a file of a house; undefined for a file elsewhere. */
function roomOf(house: string, file: string): string | undefined {
  if (!file.startsWith(`${house}/`)) return undefined
  const inside = file.slice(house.length + 1)
  const [first = '', ...rest] = inside.split('/')
  if (house === 'src' && inside.startsWith('shop/console/')) return 'shop/console/'
  return rest.length > 0 ? `${first}/` : first
}

/** The imports that lead to a higher room of src. */
function upward(imports: readonly Import[]): string[] {
  const level = (file: string) => ROOMS.indexOf(roomOf('src', file) ?? '')
  return imports
    .filter(({ from, to }) => level(to) > level(from) && level(from) >= 0)
    .map(({ from, to }) => `${from} imports ${to}`)
}

/** Rooms of a house, inside src, that import each other. */
function mutual(house: string, imports: readonly Import[]): string[][] {
  const edges = imports.flatMap(({ from, to }) => {
    const [low, high] = [roomOf(house, from), roomOf(house, to)]
    return low && high && low !== high ? [{ from: low, to: high }] : []
  })
  return cycles(edges)
}

const filesOf = (house: string): string[] => filesUnder(join(root, house), root).filter((file) => /\.tsx?$/.test(file))

const files = [...filesOf('src'), ...filesOf('worker')]
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')))
const inside = imports.filter(({ from, to }) => from.startsWith('worker/') || to.startsWith('src/'))

describe('in src, imports run one way', () => {
  it('every file belongs to a room', () => {
    const own = files.filter((file) => file.startsWith('src/'))
    const rooms = new Set(own.map((file) => roomOf('src', file)))
    expect(rooms, 'give a new folder its place in ROOMS: it may import what stands before it').toEqual(new Set(ROOMS))
  })

  it('no file imports from a higher room', () => {
    expect(upward(imports), 'move what both need to the lower room, or pass it as an argument').toEqual([])
  })

  it('no two folders of a room import each other', () => {
    const houses = new Set(files.flatMap((file) => (file.startsWith('src/') ? [dirname(file)] : [])))
    expect(houses.size).toBeGreaterThan(20)
    expect([...houses].flatMap((house) => mutual(house, imports))).toEqual([])
  })
})

describe('everywhere', () => {
  it('there is no cycle, type-only ones included', () => {
    expect(cycles(inside)).toEqual([])
  })

  it('no line is longer than 120 columns', () => {
    const isLong = (line: string) => [...line].length > 120
    const sources = files.filter((file) => file.startsWith('src/') && !/^src\/(shop\/(?!console)|till)/.test(file))
    expect(sources.length).toBeGreaterThan(300)
    expect(sources.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').some(isLong))).toEqual([])
  })

  it('the emulator takes types from the SDK, nothing else', () => {
    const taken = inside.filter(
      ({ from, to, typeOnly }) => from.startsWith('src/emulator/') && !to.startsWith('src/emulator/') && !typeOnly,
    )
    expect(taken).toEqual([])
  })

  it('nothing but the test kit and the command line reaches the emulator', () => {
    const reaching = inside.filter(
      ({ from, to }) => !/^src\/(emulator|testing|cli)\//.test(from) && to.startsWith('src/emulator/'),
    )
    expect(reaching).toEqual([])
  })

  it('nothing brings an adapter along: each is a separate entry', () => {
    expect(
      inside.filter(({ from, to }) => !from.startsWith('src/adapters/') && to.startsWith('src/adapters/')),
    ).toEqual([])
  })

  it('src names no runtime: packages come from a short list, and none of them is node:', () => {
    const own = imports.filter(({ from }) => /^src\/(?!cli\/)|^src\/cli\/conform\//.test(from))
    const allowed = /^(valibot|@noble\/hashes\/(hmac|legacy|sha2)\.js)$/
    const withHono = /^(uqr|hono(\/.*)?|valibot|@noble\/hashes\/.*)$/
    const foreign = own
      .filter(({ to }) => !to.startsWith('src/'))
      .filter(({ from, to }) => !(/^src\/(emulator|shop)\//.test(from) ? withHono : allowed).test(to))
    expect(foreign).toEqual([])
  })

  it('the engine decides about money in its protocol alone, which one file drives, and one file writes the log', () => {
    const shop = files.filter((file) => file.startsWith('src/shop/'))
    const text = (file: string) => readFileSync(join(root, file), 'utf8')
    const calls =
      /\b(capture|refund|void|cancel|create)(Payment|SplitPurchase|SplitCapture|SplitRefund|Recurring)\b(?!')/
    expect(shop.filter((file) => calls.test(text(file)))).toEqual(['src/shop/open-scope.ts'])
    // Each call is made by the till, which has written it down.
    const decides = inside.filter(({ to, typeOnly }) => /till\/protocol(-checkout)?\.ts$/.test(to) && !typeOnly)
    const steps = decides.filter(({ from }) => /\b(step|stepCheckout)\(/.test(text(from))).map(({ from }) => from)
    expect([...new Set(steps)].sort()).toEqual(['src/till/drive.ts', 'src/till/open-payment.ts'])
    const writes = files.filter((file) => /(INSERT INTO|UPDATE|DELETE FROM) edgetill_log\b/.test(text(file)))
    expect(writes).toEqual(['src/till/store.ts'])
    const pure = ['src/till/protocol.ts', 'src/till/protocol-checkout.ts']
    // Its drivers have the statuses, the addresses and the words.
    expect(text('src/till/protocol.ts')).not.toMatch(/\b[2-5]\d\d\b|POST|\/api|Idempotency-Key/)
    for (const file of pure) expect(text(file)).not.toMatch(/await |fetch\(|crypto\.|Date\.now|Math\.random/)
    expect(inside.filter(({ from, to, typeOnly }) => pure.includes(from) && !pure.includes(to) && !typeOnly)).toEqual(
      [],
    )
  })

  it('the template imports published subpaths, hono and its own files alone', () => {
    const foreign = imports
      .filter(({ from }) => from.startsWith('worker/'))
      .filter(({ to }) => !/^(worker\/|edgetill(\/[\w-]+)?$|hono(\/|$))/.test(to))
    expect(foreign).toEqual([])
  })
})

describe('the rule itself can fail', () => {
  it('sees type-only and re-exporting imports', () => {
    const text = "import type { A } from './a.ts'\nexport * from '../b.ts'\ntype C = import('./c.ts').C\n"
    expect(importsOf('src/lib/x.ts', text).map(({ to }) => to)).toEqual(['src/lib/a.ts', 'src/b.ts', 'src/lib/c.ts'])
  })

  it('finds a cycle of two and of three files', () => {
    const edge = (from: string, to: string) => ({ from, to })
    expect(cycles([edge('a', 'b'), edge('b', 'a')])).toEqual([['a', 'b', 'a']])
    expect(cycles([edge('a', 'b'), edge('b', 'c'), edge('c', 'a')])).toEqual([['a', 'b', 'c', 'a']])
    expect(cycles([edge('a', 'b'), edge('a', 'c'), edge('b', 'c')])).toEqual([])
  })

  it('finds an upward import, of a type too, and two folders that import each other', () => {
    const [from, to] = ['src/lib/a.ts', 'src/till/b.ts']
    const edge = (from: string, to: string) => ({ from, to, typeOnly: true })
    expect([upward([edge(from, to)]), upward([edge(to, from)])]).toEqual([[`${from} imports ${to}`], []])
    const [one, other] = ['src/shop/kv/a.ts', 'src/shop/lib/b.ts']
    expect(mutual('src/shop', [edge(one, other), edge('src/shop/lib/c.ts', one)])).toEqual([['kv/', 'lib/', 'kv/']])
  })
})
