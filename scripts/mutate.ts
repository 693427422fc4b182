// Changes what decides about money, one operator, number or entry of a list at a time, and looks whether a test notices.
//   npm run mutate                        every file of FILES (about an hour)
//   npm run mutate -- src/http decimal    the files whose path contains one of the texts
// Prints `killed/survived/total` for each file, and each survivor. Fails on a survivor that is not listed, with the
// reason why it changes nothing that anybody can see, in test/node/mutation-equivalents.json.

import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVitest, type TestRunResult, type Vitest } from 'vitest/node'
import { type Mutant, mutantsOf, withLoopLimit } from './mutants.ts'
import { root } from './vitest-run.ts'

interface Equivalent {
  file: string
  line: string
  mutated: string
  reason: string
}

/** Which tests notice a change, the quickest and the most telling first. Each file's namesake under test/ is added. */
const LIB = ['test/http/errors.test.ts']
const HTTP = [
  'test/http/send.test.ts',
  'test/http/errors.test.ts',
  'test/http/retries.test.ts',
  'test/http/deadline.test.ts',
  'test/errors.test.ts',
]
const PASS_THROUGH = ['raw-request', 'purchase-rules', 'wire', 'create-payment'].map(
  (name) => `test/operations/${name}.test.ts`,
)
const WEBHOOKS = ['verify', 'form', 'sign', 'handler'].map((name) => `test/webhooks/${name}.test.ts`)
const SCHEMAS = ['test/schemas/*.test.ts', 'test/webhooks/event.test.ts', 'test/operations/*.test.ts']
const FOLD = ['test/orders/*.test.ts', 'test/worker/webhooks.test.ts']
const MONEY = ['operate', 'settle', 'found-out', 'gate', 'reconciliation'].map((name) => `test/worker/${name}.test.ts`)
const CHECKOUT = ['whole-order', 'links', 'checkout', 'cancel'].map((name) => `test/worker/${name}.test.ts`)
const LINKS = ['test/checkout-link/*.test.ts', 'test/worker/links.test.ts', 'test/worker/checkout.test.ts']

/** The longest first, so that none runs alone in the end. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  'src/shop/protocol.ts': MONEY,
  'src/shop/flows/open-checkout.ts': CHECKOUT,
  'src/shop/flows/move-money.ts': MONEY,
  'src/shop/flows/checkout-records.ts': [...CHECKOUT, 'test/worker/open-checkout.test.ts'],
  'src/shop/protocol-checkout.ts': [...CHECKOUT, 'test/worker/open-checkout.test.ts'],
  'src/shop/gate.ts': [...MONEY, 'test/worker/on-event.test.ts'],
  'src/shop/store/order.ts': MONEY,
  'src/http/never-sent.ts': HTTP,
  'src/http/not-processed.ts': HTTP,
  'src/http/send.ts': [...HTTP, 'test/hooks.test.ts', 'test/http/auth.test.ts'],
  'src/http/errors.ts': [...HTTP, 'test/operations/*.test.ts'],
  'src/http/body.ts': [...PASS_THROUGH, ...HTTP, 'test/operations/secondary-operations.test.ts'],
  'src/http/compare.ts': [
    'test/operations/answers.test.ts',
    'test/operations/secondary-operations.test.ts',
    'test/schemas/null.test.ts',
  ],
  'src/http/auth.ts': [...HTTP, ...PASS_THROUGH],
  'src/http/deadline.ts': HTTP,
  'src/lib/redact.ts': [...LIB, 'test/lib/card-data.test.ts', 'test/canary.test.ts'],
  'src/lib/card-data.ts': [...LIB, 'test/lib/redact.test.ts', 'test/canary.test.ts'],
  'src/lib/card-number.ts': ['test/card/card.test.ts', 'test/lib/redact.test.ts', ...LIB],
  'src/lib/decimal.ts': [
    'test/helpers/amount.test.ts',
    'test/schemas/*.test.ts',
    'test/properties/amount.test.ts',
    'test/outcome/decide.test.ts',
  ],
  'src/lib/sha1.ts': ['test/lib/hmac-sha1.test.ts'],
  'src/lib/hmac-sha1.ts': ['test/webhooks/signature.test.ts'],
  'src/lib/constant-time.ts': ['test/webhooks/signature.test.ts'],
  'src/lib/base64url.ts': ['test/webhooks/signature.test.ts'],
  'src/webhooks/signature.ts': WEBHOOKS,
  'src/webhooks/verify.ts': WEBHOOKS,
  'src/webhooks/form.ts': WEBHOOKS,
  'src/webhooks/receiver.ts': ['test/webhooks/handler.test.ts', 'test/odd-input.test.ts'],
  'src/schemas/read.ts': [...SCHEMAS, 'test/http/*.test.ts'],
  'src/schemas/read-event.ts': SCHEMAS,
  'src/schemas/fast-path.ts': SCHEMAS,
  'src/card/browser-fingerprint.ts': [],
  'src/card/cvv.ts': ['test/card/card.test.ts'],
  'src/card/expiry.ts': ['test/card/card.test.ts'],
  'src/card/mask.ts': ['test/card/card.test.ts'],
  'src/card/number.ts': ['test/card/card.test.ts'],
  'src/orders/fold.ts': FOLD,
  'src/orders/event-key.ts': ['test/orders/copies.test.ts', 'test/orders/*.test.ts'],
  'src/orders/operation-key.ts': ['test/orders/copies.test.ts'],
  'src/orders/identity.ts': ['test/orders/copies.test.ts', 'test/orders/fold.test.ts'],
  'src/outcome/decide.ts': ['test/schemas/null.test.ts'],
  'src/orders/summary.ts': FOLD,
  'src/checkout-link/check.ts': LINKS,
  'src/checkout-link/link.ts': LINKS,
  'src/checkout-link/seal.ts': LINKS,
}

/** A run of the tests that takes this many times as long as without a change counts as a change that was noticed. */
const TOO_LONG = 10
const LOOP_TURNS = 20_000_000

// The tests run at their ordinary size: what matters is whether they notice, once per mutant.
delete process.env.EDGETILL_LONG
process.env.EDGETILL_SEED ||= '1'

const equivalents = JSON.parse(
  readFileSync(join(root, 'test/node/mutation-equivalents.json'), 'utf8'),
) as readonly Equivalent[]
const wanted = process.argv.slice(2)
const files = Object.keys(FILES).filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
if (files.length === 0) throw new Error(`No file of FILES in scripts/mutate.ts contains ${wanted.join(' or ')}.`)
const named = [...Object.entries(FILES).flat(2), ...equivalents.map(({ file }) => file)]
const missing = named.filter((pattern) => globSync(pattern, { cwd: root }).length === 0)
if (missing.length > 0) throw new Error(`scripts/mutate.ts names what does not exist: ${missing.join(', ')}`)

// A process for each file, several at a time.
if (files.length > 1) process.exit(await mutateApart(files))

// The tests run over a copy of the checkout, in which one file at a time is changed.
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'edgetill-mutants-')))
for (const name of readdirSync(root)) {
  if (name === 'node_modules') symlinkSync(join(root, name), join(copy, name))
  else if (name !== '.git') cpSync(join(root, name), join(copy, name), { recursive: true })
}
process.chdir(copy)
const vitest = await createVitest('test', {
  root: copy,
  watch: false,
  bail: 1,
  pool: 'threads',
  isolate: false,
  fileParallelism: false,
  reporters: [{}],
})

let problems = 0
try {
  problems = await mutate(files[0] as string)
} finally {
  await vitest.close()
  rmSync(copy, { recursive: true, force: true })
}
process.exit(problems === 0 ? 0 : 1)

/** Returns the exit code. */
async function mutateApart(files: readonly string[]): Promise<number> {
  const waiting = [...files]
  const failed: string[] = []
  const mutateNext = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const child = spawn(process.execPath, [import.meta.filename, file], { stdio: 'inherit' })
      const code = await new Promise((done) => child.on('close', done))
      if (code !== 0) failed.push(file)
    }
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, mutateNext))
  console.log(failed.length === 0 ? 'No survivor.' : `Problems in ${failed.join(', ')}.`)
  return failed.length === 0 ? 0 : 1
}

async function mutate(file: string): Promise<number> {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  const tests = testsOf(file)
  const startedAt = performance.now()
  // The first run loads everything.
  await run(vitest, tests, path, withLoopLimit(file, text, LOOP_TURNS))
  const baselineAt = performance.now()
  const baseline = await run(vitest, tests, path, withLoopLimit(file, text, LOOP_TURNS))
  if (baseline !== undefined) {
    console.log(`${file}: ${baseline} fails without a change`)
    return 1
  }
  const limit = Math.max(20_000, TOO_LONG * (performance.now() - baselineAt))
  const mutants = mutantsOf(file, text)
  const listed = equivalents.filter((one) => one.file === file)
  const unused = listed.filter((one) => !mutants.some((mutant) => isSame(one, mutant)))
  const alive: Mutant[] = []
  let equivalent = 0
  for (const mutant of mutants) {
    if (listed.some((one) => isSame(one, mutant))) {
      equivalent += 1
      continue
    }
    const noticedBy = await run(vitest, tests, path, withLoopLimit(file, mutant.source, LOOP_TURNS), limit)
    if (noticedBy !== undefined) {
      // The next change is near this one, and the same test is likely to notice it.
      tests.unshift(...tests.splice(tests.indexOf(noticedBy), 1))
    } else {
      alive.push(mutant)
      console.log(`  ${file}:${mutant.position} \`${mutant.before}\` -> \`${mutant.after}\``)
      if (process.env.EDGETILL_MUTANT_LINES)
        console.log(JSON.stringify({ file, line: mutant.line, mutated: mutant.mutated }))
    }
  }
  // Whatever broke on the way would have counted as noticed.
  const broken = await run(vitest, tests, path, withLoopLimit(file, text, LOOP_TURNS))
  if (broken !== undefined) {
    console.log(`${file}: ${broken} fails without a change, after the others`)
    return 1
  }
  const killed = mutants.length - alive.length - equivalent
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(
    `${file}: ${killed}/${alive.length}/${mutants.length} killed/survived/total` +
      `${equivalent > 0 ? `, ${equivalent} equivalent` : ''} (${seconds} s)`,
  )
  for (const { line, mutated } of unused) console.log(`  listed as equivalent, but not there: ${line} -> ${mutated}`)
  if (killed === 0) console.log('  has nothing to change')
  return killed === 0 ? 1 : alive.length + unused.length
}

function isSame(one: Equivalent, mutant: Mutant): boolean {
  return one.line === mutant.line && one.mutated === mutant.mutated
}

/** The namesake first, then what FILES names. */
function testsOf(file: string): string[] {
  const namesake = file
    .replace(/^src\/shop\/(.*\/)?/, 'test/worker/')
    .replace(/^src\//, 'test/')
    .replace(/\.ts$/, '.test.ts')
  const named = (FILES[file] ?? []).flatMap((pattern) => globSync(pattern, { cwd: root }).sort())
  return [...new Set([...(existsSync(join(root, namesake)) ? [namesake] : []), ...named])]
}

/** Runs test files, one after another, and returns the first that notices. */
async function run(
  vitest: Vitest,
  tests: readonly string[],
  path: string,
  source: string,
  limit = 600_000,
): Promise<string | undefined> {
  writeFileSync(path, source)
  vitest.invalidateFile(path)
  vitest.watcher.invalidates.add(path)
  const endsAt = performance.now() + limit
  for (const test of tests) {
    const specification = vitest.getRootProject().createSpecification(join(copy, test))
    let timer: ReturnType<typeof setTimeout> | undefined
    const tooLong = new Promise<undefined>((done) => {
      timer = setTimeout(() => done(undefined), Math.max(0, endsAt - performance.now()))
    })
    const running = vitest.runTestSpecifications([specification])
    const result: TestRunResult | undefined = await Promise.race([running, tooLong])
    clearTimeout(timer)
    if (result === undefined) {
      await vitest.cancelCurrentRun('keyboard-input')
      await running
      return test
    }
    // The result has the modules of earlier runs too.
    const state = result.testModules.find(({ moduleId }) => moduleId === specification.moduleId)?.state()
    if (state !== 'passed' || result.unhandledErrors.length > 0) return test
  }
  return undefined
}
