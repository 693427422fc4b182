import { rename, rm, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import {
  CONFORM_FLAGS,
  type ConformOptions,
  conform,
  conformText,
  createInbox,
  isClean,
  readCard,
} from '../../conform/index.ts'
import { readEnvFile, readVariables } from '../../terminal/environment.ts'
import { UsageError } from '../../terminal/errors.ts'
import { wholeNumber } from '../../terminal/option-values.ts'
import { configOf, type ServiceFlags, type Settings } from '../configuration.ts'
import { EXIT } from '../outcome.ts'
import { listenError, serveOnNode } from '../serve-node.ts'
import { hooksOf, type Surroundings } from '../service.ts'
import { readJsonFile } from '../state-file.ts'

/** What commander reads of CONFORM_FLAGS. */
export interface ConformFlags extends ServiceFlags {
  conform?: true
  testProject?: true
  liveWithSmallestAmounts?: true
  amount?: string
  currency?: string
  subMerchant?: string
  webhookUrl?: string
  webhookPort?: number
  state?: string
  report?: string
}

/** Hidden in the help of `doctor`, which has no room for them: guides/conform.md has them. */
export function addConformOptions(verb: Command): void {
  for (const [flag, says] of CONFORM_FLAGS) {
    const option = new Option(flag, says).hideHelp()
    verb.addOption(flag.startsWith('--webhook-port') ? option.argParser(wholeNumber(0, 65_535)) : option)
  }
}

/** @throws {UsageError} for one of these flags without `--conform`: it would silently do nothing. */
export function rejectConformFlags(flags: ConformFlags): void {
  const given = CONFORM_FLAGS.map(([flag, says]) => new Option(flag, says)).find(
    (option) => (flags as Record<string, unknown>)[option.attributeName()] !== undefined,
  )
  if (given) throw new UsageError(`${given.long} is for doctor --conform.`)
}

/** `edgetill doctor --conform`: exits 0 when nothing differs, 1 when something does, 2 when it may not run, 130 on Ctrl-C. */
export async function examineAssumptions(
  flags: ConformFlags,
  settings: Settings,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { terminal, fetch, exit } = around
  const { state: file = 'conform-state.json', webhookUrl, webhookPort: port = 4011 } = flags
  const config = { ...configOf(settings, flags, ''), fetch, ...hooksOf(flags, terminal) }
  const card = readCard(await testCard(flags, around))
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {})
  const inbox = createInbox(config.apiSecret, pause)
  const served =
    webhookUrl === undefined
      ? undefined
      : await serveOnNode(inbox.handle, { port }).catch((error) => {
          throw new UsageError((listenError(error, { port }) as Error).message.replace('--port', '--webhook-port'))
        })
  const webhooks = webhookUrl === undefined ? undefined : { url: webhookUrl, inbox }
  const progress = terminal.progress('Trying the assumptions')
  const { subMerchant, currency = 'UAH', amount = '0.01' } = flags
  const settled = { config, card, subMerchant, currency, amount: Number(amount), webhooks, pause, signal }
  const options: ConformOptions = { ...settled, project: projectOf(flags), store: storeIn(file) }
  const report = await conform(options).finally(async () => {
    progress()
    await served?.close()
  })
  if (report === undefined) {
    terminal.err(`Interrupted. The same command goes on from ${file}, and undoes what was made in the project.`)
    return exit(130)
  }
  terminal.out(flags.json ? JSON.stringify(report) : conformText(report))
  if (flags.report !== undefined) await writeFile(flags.report, `${JSON.stringify(report, null, 2)}\n`)
  exit(isClean(report) ? EXIT.done : EXIT.failed)
}

/** The card of the test project is a variable: a process list shows flags. */
async function testCard({ envFile }: ConformFlags, { environment }: Surroundings): Promise<string | undefined> {
  const fromFile = envFile === undefined ? {} : await readEnvFile(envFile)
  return { ...(environment ?? (await readVariables())), ...fromFile }.EDGETILL_TEST_CARD
}

function projectOf({ testProject, liveWithSmallestAmounts: live }: ConformFlags): ConformOptions['project'] {
  if (testProject && live) throw new UsageError('--test-project and --live-with-smallest-amounts exclude each other.')
  return testProject ? 'test' : live ? 'live' : undefined
}

/** Written beside it first and then renamed: whenever the process ends, the last whole state is there. */
function storeIn(file: string): ConformOptions['store'] {
  return {
    load: () =>
      readJsonFile('--state', file).catch((error: Error) => {
        if (/ENOENT/.test(error.message)) return undefined
        throw error
      }),
    async save(state) {
      if (state === undefined) return await rm(file, { force: true })
      const beside = `${file}.tmp`
      await writeFile(beside, JSON.stringify(state), { mode: 0o600, flush: true })
      await rename(beside, file)
    },
  }
}
