import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { type ConformOptions, conform, conformText, createInbox, isClean, readCard } from '../../conform/index.ts'
import { createRecorder, recordingText } from '../../conform/record.ts'
import { readJsonFile, readVariables, writeWhole } from '../../terminal/environment.ts'
import { type ExitCode, UsageError } from '../../terminal/errors.ts'
import { wholeNumber } from '../../terminal/option-values.ts'
import { type Flags, flag, flagOf, type OptionRow, option, type Use, unlisted } from '../../terminal/verb.ts'
import { configOf, type SERVICE_OPTIONS, type Settings } from '../configuration.ts'
import { EXIT } from '../outcome.ts'
import { listenError, serveOnNode } from '../serve-node.ts'
import { hooksOf } from '../service.ts'

/** The options of `--conform`. The help of `doctor` has no room for them: guides/conform.md has them. */
export const CONFORM_OPTIONS = unlisted({
  testProject: flag('confirms that the credentials belong to the test project'),
  liveWithSmallestAmounts: flag('run in the live project; with a card, money moves and is returned'),
  amount: option('<N>', 'the smallest amount that the project accepts (default: 0.01)'),
  currency: option('<CODE>', 'of the payments (default: UAH)'),
  payByHand: flag(
    'prints the address of a checkout, waits until you have paid there, and goes on with a partial refund',
  ),
  subMerchant: option('<UUID>', 'for the statements about splits'),
  webhookPort: option(
    '<N>',
    'the port on this machine that --webhook-url leads to (default: 4011)',
    wholeNumber(0, 65_535),
  ),
  state: option('<FILE>', 'the file from which an interrupted run goes on (default: conform-state.json)'),
  report: option('<FILE>', 'writes the report as JSON'),
  record: option('<FILE>', 'writes the orders that it made, as a seed file for the emulator'),
})

type ConformFlags = Flags<typeof CONFORM_OPTIONS>
type ConformUse = Use<
  typeof CONFORM_OPTIONS & typeof SERVICE_OPTIONS & { webhookUrl: OptionRow<string | undefined> },
  unknown
>

/** @throws {UsageError} for such a flag without `--conform`: it would silently do nothing. */
export function rejectConformFlags(flags: ConformFlags): void {
  const option = Object.keys(CONFORM_OPTIONS).find((name) => flags[name as keyof ConformFlags] !== undefined)
  if (option) throw new UsageError(`${flagOf(option)} is for doctor --conform.`)
}

/**
 * `edgetill doctor --conform`: exits 0 when something holds and nothing differs, otherwise 1, 2 when it may not run,
 * 130 on Ctrl-C.
 */
export async function examineAssumptions(
  { flags, terminal, fetch, environment, signal }: ConformUse,
  settings: Settings,
): Promise<ExitCode> {
  const { state: file = 'conform-state.json', webhookUrl, webhookPort: port = 4011 } = flags
  const testConfig = configOf(settings, flags, '')
  const recorder = createRecorder(testConfig.baseUrl, fetch ?? ((input, init) => globalThis.fetch(input, init)))
  const config = { ...testConfig, fetch: recorder.fetch, ...hooksOf(flags, terminal) }
  const card = readCard((await readVariables(flags.envFile, environment)).EDGETILL_TEST_CARD)
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {})
  const inbox = createInbox(config.apiSecret, pause)
  const portInUse = (error: unknown) => {
    throw new UsageError((listenError(error, { port }) as Error).message.replace('--port', '--webhook-port'))
  }
  const served = webhookUrl === undefined ? undefined : await serveOnNode(inbox.handle, { port }).catch(portInUse)
  const webhooks = webhookUrl === undefined ? undefined : { url: webhookUrl, inbox }
  const progress = terminal.progress('Trying the assumptions')
  const { subMerchant, currency = 'UAH', amount = '0.01' } = flags
  const payByHand = flags.payByHand && ((url: string) => terminal.err(`Pay on this page, within ten minutes: ${url}`))
  const shown = new Set<string>()
  const onWait = (says: string): void => void (shown.size < shown.add(says).size && terminal.err(`Waiting: ${says}`))
  const settled = {
    config,
    onWait,
    card,
    subMerchant,
    payByHand,
    currency,
    amount: Number(amount),
    webhooks,
    pause,
    signal,
  }
  const options: ConformOptions = { ...settled, project: projectOf(flags), store: storeIn(file) }
  const report = await conform(options)
    .finally(() => served?.close())
    .finally(progress)
  if (report === undefined) {
    terminal.err(`Interrupted. The same command goes on from ${file}, and undoes what was made in the project.`)
    return 130
  }
  terminal.out(flags.json ? JSON.stringify(report) : conformText(report))
  if (flags.report !== undefined) await writeFile(flags.report, `${JSON.stringify(report, null, 2)}\n`)
  if (flags.record !== undefined) {
    const recording = recorder.recording()
    await writeFile(flags.record, `${JSON.stringify(recording.orders, null, 2)}\n`)
    const text = recordingText(flags.record, recording)
    if (flags.json) terminal.err(text)
    else terminal.out(`\n${text}`)
  }
  return isClean(report) ? EXIT.done : EXIT.failed
}

function projectOf({ testProject, liveWithSmallestAmounts: live }: ConformFlags): ConformOptions['project'] {
  if (testProject && live) throw new UsageError('--test-project and --live-with-smallest-amounts exclude each other.')
  return testProject ? 'test' : live ? 'live' : undefined
}

const storeIn = (file: string): ConformOptions['store'] => ({
  load: async () => (existsSync(file) ? readJsonFile('--state', file) : undefined),
  save: (state) => (state === undefined ? rm(file, { force: true }) : writeWhole(file, JSON.stringify(state))),
})
