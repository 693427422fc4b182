import { exec } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import {
  PROVE_FLAGS,
  ProveError,
  type ProveOptions,
  prove,
  reportPage,
  reportText,
  stateOf,
} from '../../testing/prove/index.ts'
import { readSecrets, SECRET_OPTIONS } from '../service/secrets.ts'
import { type ExitCode, errorLine, UsageError } from '../terminal/errors.ts'
import { wholeNumber } from '../terminal/option-values.ts'
import { defineVerb, group, type OptionRows, type Use, type Verb } from '../terminal/verb.ts'

type Words = 'stateCommand' | 'restartCommand' | 'report' | 'json' | 'paid' | 'refunded' | 'shipped' | 'currency'
type ProveFlags = ProveOptions & { [name in Words]?: string }

const whole = wholeNumber(0, 0xffff_ffff)
const camel = (name: string): string => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
const FLAGS: OptionRows = Object.fromEntries(
  PROVE_FLAGS.map(([row, says, isNumber]) => {
    const [flag = '', value] = row.split(' ')
    return [camel(flag.slice(2)), { says, value, ...(isNumber && { read: whole }) }]
  }),
)

/** Attacks a receiver, and exits 0 when nothing was found, 1 when something was, 2 when it could not be run. */
export const verb: Verb = defineVerb({
  name: 'prove',
  heading: 'Checks',
  summary: 'attack a receiver of webhooks, and judge it by money',
  description:
    'Plays orders against a receiver of webhooks, under attack, and compares what the shop says of them with what happened.\n' +
    'Exits 0 when nothing was found, 1 when something was, 2 when it could not be run. Never for a live shop.',
  examples: [
    "prove --url http://[::1]:3000 --state 'http://[::1]:3000/{order_id}'",
    'prove --url http://127.0.0.1:3000/webhooks --state-command ./state.sh',
  ],
  readOn: 'guides/prove.md',
  options: { ...group('Options:', FLAGS), ...SECRET_OPTIONS },
  run: judge,
})

async function judge({ flags: given, terminal }: Use<typeof SECRET_OPTIONS, unknown>): Promise<ExitCode> {
  const { stateCommand: line = '', restartCommand, report: file, json, ...flags } = given as typeof given & ProveFlags
  if (!flags.state === !line) throw new UsageError('Pass --state URL or --state-command COMMAND.')
  const { envFile, secretFile, paid, refunded, shipped, currency, ...options } = flags
  const [{ value: apiSecret }] = await readSecrets(flags)
  const how = { paths: { paid, refunded, shipped, currency }, units: options.units, apiSecret }
  const shell = async (command: string) => (await promisify(exec)(command)).stdout
  const ask = async (id: string) => stateOf(await shell(line.replaceAll('{order_id}', id)), how, 'the command printed')
  const restart = restartCommand ? () => shell(restartCommand) : undefined
  try {
    const report = await prove({ ...options, ...how, state: options.state ?? ask, restart })
    if (file !== undefined) await writeFile(file, reportPage(report))
    terminal.out(json ? JSON.stringify(report) : reportText(report))
    return report.findings.length > 0 ? 1 : 0
  } catch (error) {
    if (!(error instanceof ProveError)) throw error
    terminal[json ? 'out' : 'err'](json ? errorLine(new UsageError(error.message)) : error.message)
    return 2
  }
}
