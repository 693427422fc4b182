import { existsSync, mkdirSync, readFileSync, watch } from 'node:fs'
import { parseEnv } from 'node:util'
import { createCheckoutLink } from '../../checkout-link/index.ts'
import { type Activity, testCard } from '../../emulator/index.ts'
import { SALE } from '../../testing/sample-shop.ts'
import { fillDay } from '../service/dev/fill-day.ts'
import { freePort, startWrangler, type Wrangler } from '../service/dev/wrangler.ts'
import { serveEmulator } from '../service/serve-emulator.ts'
import { openStateFile, type StateFile } from '../service/state-file.ts'
import { activityLine } from '../terminal/activity-lines.ts'
import { UsageError } from '../terminal/errors.ts'
import { untilStopped } from '../terminal/interrupt.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { defineVerb, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'dev',
  heading: 'Start',
  summary: 'run a project of init: an emulator and the worker, with a link to pay',
  description: 'Runs the project in this folder: an emulator of the service and the worker, until Ctrl-C.',
  examples: ['dev', 'dev > dev.log'],
  readOn: 'worker/README.md',
  options: {},
  run: ({ terminal }) => dev(terminal),
})

const SECRETS = '.dev.vars'
/** An editor writes a file in several steps. */
const SETTLED_MS = 200

async function dev({ out, err }: Terminal): Promise<void> {
  if (!existsSync('wrangler.toml')) {
    throw new UsageError('This folder has no wrangler.toml. Run this in a project that `edgetill init` wrote.')
  }
  let secrets = readSecrets()
  const stopped = untilEnded()
  let state: StateFile | undefined
  let isShown = false
  const onActivity = (activity: Activity) => {
    state?.changed()
    if (isShown) out(activityLine(activity))
  }
  // The worker keeps its orders in this folder: without the service's they could not be refunded after a restart.
  mkdirSync('.wrangler', { recursive: true })
  const served = await serveEmulator({ port: await freePort(4010) }, { onActivity }, async (emulator) => {
    state = await openStateFile('.wrangler/emulator.json', emulator, async () => {})
  })
  const { emulator, origin: service } = served
  const origin = `http://127.0.0.1:${await freePort(8787)}`
  // Overrides .dev.vars: no call leaves this machine.
  const { baseUrl: BASE_URL, apiUrl: API_URL } = emulator.credentials
  /** Ends everything: wrangler has failed. */
  let fail = (_: unknown): void => {}
  const failed = new Promise<unknown>((resolve) => {
    fail = resolve
  })
  let ahead = 0
  let wrangler: Wrangler
  function start(): void {
    const one = startWrangler(origin, { BASE_URL, API_URL, CLOCK_AHEAD_MS: String(ahead) })
    wrangler = one
    const unlessReplaced = (error: unknown) => void (wrangler === one && fail(error))
    one.ended.then(() => unlessReplaced(new Error('wrangler has ended.')))
    one.ready.then(() => (wrangler === one ? show(one) : undefined)).catch(unlessReplaced)
  }
  async function show(one: Wrangler): Promise<void> {
    const { linkSecret, adminToken } = secrets
    // The cron does the work that the clock has passed.
    if (ahead !== 0) await (await fetch(`${origin}/cdn-cgi/local/scheduled`)).text()
    if (ahead !== 0) out(`The worker runs ${(ahead / 3_600_000).toFixed(1)} hours ahead.`)
    if (ahead === 0 || !isShown) {
      await fillDay(origin, adminToken, emulator).catch((error) => err(`No day was played: ${error.message}`))
      out(await invitation(origin, service, linkSecret, adminToken))
    }
    isShown = true
    one.show()
  }
  let restarting = Promise.resolve()
  function restart(): void {
    restarting = restarting
      .then(async () => {
        const old = wrangler
        wrangler = { ...old }
        await old.stop()
        start()
      })
      .catch(fail)
  }
  function readAgain(): void {
    const before = secrets.text
    try {
      secrets = readSecrets()
    } catch (error) {
      err((error as Error).message)
    }
    if (secrets.text === before) return
    err(`${SECRETS} has changed: the worker starts again.`)
    restart()
  }
  /** Moving the emulator's clock moves the worker's. */
  const clock = setInterval(() => {
    const now = emulator.clock.now() - Date.now()
    if (Math.abs(now - ahead) < SETTLED_MS * 10) return
    ahead = Math.round(now / 1000) * 1000
    restart()
  }, SETTLED_MS)
  let timer: NodeJS.Timeout | undefined
  const watcher = watch('.', (_, file) => {
    if (file !== SECRETS) return
    clearTimeout(timer)
    timer = setTimeout(readAgain, SETTLED_MS)
  })
  start()
  const error = await Promise.race([stopped, failed])
  watcher.close()
  clearInterval(clock)
  clearTimeout(timer)
  await restarting
  // biome-ignore lint/style/noNonNullAssertion: `start` has set it
  await wrangler!.stop()
  await served.close((state as StateFile | undefined)?.close)
  if (error instanceof Error) throw error
}

/** @throws {Error} what to do when the worker's secrets are not there. */
function readSecrets() {
  const text = existsSync(SECRETS) ? readFileSync(SECRETS, 'utf8') : ''
  const { LINK_SECRET: linkSecret, ADMIN_TOKEN: adminToken = '' } = parseEnv(text)
  if (linkSecret) return { text, linkSecret, adminToken }
  const cure = 'git does not carry it. See README.md, "Another machine".'
  throw new Error(`There is no ${SECRETS} with a LINK_SECRET here: ${cure}`)
}

/** Resolves on Ctrl-C, and when the parent process is gone: ending npm does not always end its child. */
async function untilEnded(): Promise<void> {
  const parent = process.ppid
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => process.ppid !== parent && end(), 500)
    const end = (): void => {
      clearInterval(timer)
      resolve()
    }
    process.once('SIGHUP', end)
    untilStopped().then(end)
  })
}

async function invitation(origin: string, service: string, linkSecret: string, adminToken: string): Promise<string> {
  const order_id = `mugs-${crypto.randomUUID().slice(0, 8)}`
  const link = await createCheckoutLink({ origin, linkSecret, order: { ...SALE, order_id } })
  return `
  the order    . ./.dev.vars && curl -H "authorization: Bearer $ADMIN_TOKEN" ${origin}/api/orders/${order_id}
  the service  ${service}/_emulator
  a day later  curl -d '{"hours":24}' ${service}/_emulator/api/clock moves both clocks on

Ctrl-C stops both.

  the console  ${origin}/console
               Sign in as admin with ${adminToken}

Open this link and pay with the card ${testCard('success')}, any future month and any three digits:

  ${link}
`
}
