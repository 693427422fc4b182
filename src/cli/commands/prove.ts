import { exec } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Command } from 'commander'
import {
  PROVE_FLAGS,
  ProveError,
  type ProveOptions,
  prove,
  reportPage,
  reportText,
  stateOf,
} from '../../testing/prove/index.ts'
import { addSecretOptions, readSecrets, type SecretFlags } from '../service/secrets.ts'
import { errorLine, UsageError } from '../terminal/errors.ts'
import { wholeNumber } from '../terminal/option-values.ts'
import { processTerminal } from '../terminal/terminal.ts'

type Words = 'stateCommand' | 'restartCommand' | 'report' | 'json' | 'paid' | 'refunded' | 'shipped' | 'currency'
type Flags = SecretFlags & ProveOptions & { [name in Words]?: string }

const whole = wholeNumber(0, 0xffff_ffff)

/** `edgetill prove`: attacks a receiver, and exits 0 when nothing was found, 1 when something was, 2 when it could not be run. */
export function command(): Command {
  const verb = new Command('prove').description(
    'Plays orders against a receiver of webhooks, under attack, and compares what the shop says of them with what happened.\n' +
      'Exits 0 when nothing was found, 1 when something was, 2 when it could not be run. Never for a live shop.',
  )
  for (const [flag, says, isNumber] of PROVE_FLAGS) {
    if (isNumber) verb.option(flag, says, whole)
    else verb.option(flag, says)
  }
  return addSecretOptions(verb).action(judge)
}

async function judge({ stateCommand: line = '', restartCommand, report: file, json, ...flags }: Flags): Promise<void> {
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
    processTerminal().out(json ? JSON.stringify(report) : reportText(report))
    if (report.findings.length > 0) process.exitCode = 1
  } catch (error) {
    if (!(error instanceof ProveError)) throw error
    processTerminal()[json ? 'out' : 'err'](json ? errorLine(new UsageError(error.message)) : error.message)
    process.exitCode = 2
  }
}
