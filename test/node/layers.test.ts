import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cycles, type Import, importsOf } from './support/imports.ts'
import { root } from './support/runtimes.ts'

const rooms = (...lines: string[]): string[] => lines.flatMap((line) => line.split(' '))

/**
 * The rooms of each house, lowest first: a folder, or a file that stands in no folder. A room imports from rooms above it in
 * this list only, types included. A new room gets a line here.
 */
const HOUSES: Readonly<Record<string, readonly string[]>> = {
  src: rooms(
    'lib/ errors.ts card/ schemas/ hooks.ts config.ts helpers/ webhooks/ adapters/ http/ orders/ money/ operations/',
    'outcome/ checkout-link/ client/ index.ts till/ shop/ console/ emulator/ testing/ cli/',
  ),
  'src/emulator': rooms(
    'parse-input.ts state/ spec/ options.ts faults/ webhooks/ context.ts http/ domain/ pages/ routes/',
    'pay.ts control/ endpoint.ts app.ts shops.ts emulator.ts index.ts',
  ),
  'src/testing': rooms(
    'deliveries.ts prove/ emulator-shop.ts test-event.ts kv-double.ts sqlite.ts d1-double.ts gate-storage.ts gate-double.ts sample-shop.ts test-shop.ts index.ts',
  ),
  'src/cli': rooms('json.ts take-home/ conform/ terminal/ webhooks/ service/ project/ commands/ main.ts'),
  'src/shop': rooms(
    'runtime.ts env.ts lib/ kv/ call-gate.ts pages/ options.ts scope.ts',
    'books/ order/ gate.ts routes/ cron.ts app.ts index.ts',
  ),
  'src/shop/books': rooms('scope.ts tables.ts register.ts days.ts reuse.ts links.ts orders.ts actions.ts ask.ts'),
  'src/shop/order': rooms(
    'chat.ts protocol-checkout.ts tables.ts published.ts scope.ts schedule.ts watchlist.ts checkouts.ts events.ts money-calls.ts queue.ts',
    'raise-alert.ts rebuild.ts order.ts deliver-events.ts messages.ts store-event.ts',
    'ask-service.ts open-checkout.ts move-money.ts record.ts erase.ts order-page.ts check-open.ts attention.ts publish-to-book.ts publish.ts',
    'relist.ts actions.ts',
  ),
  'src/console': rooms(
    'options.ts style.ts words/ access.ts parts.ts visit.ts roles.ts lib/ session.ts layout.ts kept.ts login.ts pages/ app.ts index.ts',
  ),
  'src/testing/prove': rooms(
    'bodies.ts causes.ts random.ts story.ts options.ts plan.ts judge.ts service.ts shop.ts run.ts story-file.ts report.ts',
    'shrink.ts diagnose.ts refund.ts prove.ts index.ts',
  ),
  'src/cli/conform': rooms(
    'inbox.ts judgement.ts news.ts record.ts answer.ts state.ts project.ts clean-up.ts inputs.ts signatures.ts',
    'statements.ts statement.ts report.ts stories/ conform.ts index.ts',
  ),
  'src/till': rooms('database.ts store.ts events.ts move-money.ts open-payment.ts settle.ts till.ts index.ts'),
}

/** The room of a file of a house; undefined for a file elsewhere. */
function roomOf(house: string, file: string): string | undefined {
  if (!file.startsWith(`${house}/`)) return undefined
  const [first = '', ...rest] = file.slice(house.length + 1).split('/')
  return rest.length > 0 ? `${first}/` : first
}

/** The imports of a house that lead to a higher room. */
function upward(house: string, rooms: readonly string[], imports: readonly Import[]): string[] {
  const level = (file: string) => rooms.indexOf(roomOf(house, file) ?? '')
  return imports
    .filter(({ from, to }) => roomOf(house, from) && roomOf(house, to) && level(to) > level(from))
    .map(({ from, to }) => `${from} imports ${to}`)
}

const filesOf = (house: string): string[] =>
  readdirSync(join(root, house), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))

const files = [...filesOf('src'), ...filesOf('worker')]
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')))
const inside = imports.filter(({ from, to }) => from.startsWith('worker/') || to.startsWith('src/'))

describe.each(Object.entries(HOUSES))('in %s, imports run one way', (house, rooms) => {
  it('every file belongs to a room', () => {
    const own = files.filter((file) => file.startsWith(`${house}/`))
    expect(own.length).toBeGreaterThan(7)
    expect(new Set(own.map((file) => roomOf(house, file)))).toEqual(new Set(rooms))
  })

  it('no file imports from a higher room', () => {
    expect(upward(house, rooms, imports)).toEqual([])
  })
})

describe('everywhere', () => {
  it('there is no cycle, type-only ones included', () => {
    expect(cycles(inside)).toEqual([])
  })

  it('no line of the console is longer than 120 columns', () => {
    const pages = files.filter((file) => file.startsWith('src/console/'))
    expect(pages.length).toBeGreaterThan(20)
    const isLong = (line: string) => [...line].length > 120
    const long = pages.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').some(isLong))
    expect(long).toEqual([])
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
    const own = imports.filter(({ from }) => /^src\/(?!cli\/)|^src\/cli\/(conform|take-home)\//.test(from))
    const allowed = /^(valibot|@noble\/hashes\/(hmac|legacy|sha2)\.js)$/
    const withHono = /^(uqr|hono(\/.*)?|valibot|@noble\/hashes\/.*)$/
    const foreign = own
      .filter(({ to }) => !to.startsWith('src/'))
      .filter(({ from, to }) => !(/^src\/(console|emulator|shop)\//.test(from) ? withHono : allowed).test(to))
    expect(foreign).toEqual([])
  })

  it('the engine decides about money in its protocol alone, and makes the calls that move it in one file', () => {
    const shop = files.filter((file) => file.startsWith('src/shop/'))
    const text = (file: string) => readFileSync(join(root, file), 'utf8')
    const calls =
      /\b(capture|refund|void|cancel|create)(Payment|SplitPurchase|SplitCapture|SplitRefund|Recurring)\b(?!')/
    expect(shop.filter((file) => calls.test(text(file)))).toEqual(['src/shop/order/money-calls.ts'])
    const makers = inside.filter(({ to }) => to === 'src/shop/order/money-calls.ts').map(({ from }) => from)
    expect(makers.sort()).toEqual(['src/shop/order/move-money.ts', 'src/shop/order/open-checkout.ts'])
    const pure = ['src/money/protocol.ts', 'src/shop/order/protocol-checkout.ts']
    // Its drivers have the statuses, the addresses and the words.
    expect(text('src/money/protocol.ts')).not.toMatch(/\b[2-5]\d\d\b|POST|\/api|Idempotency-Key/)
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

  it('finds an upward import, of a type too', () => {
    const [from, to] = ['src/emulator/state/a.ts', 'src/emulator/control/b.ts']
    const found = (from: string, to: string, typeOnly: boolean) =>
      upward('src/emulator', HOUSES['src/emulator'] ?? [], [{ from, to, typeOnly }])
    expect([found(from, to, true), found(to, from, false)]).toEqual([[`${from} imports ${to}`], []])
  })
})
