import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as kit from '../../testing/prove/index.ts'
import { PROVE_OPTIONS } from '../service/prove-flags.ts'
import { junitOf, reportPage, sarifOf } from '../service/prove-report.ts'
import { readSecrets, SECRET_OPTIONS } from '../service/secrets.ts'
import { readJsonFile } from '../terminal/environment.ts'
import { errorLine, UsageError } from '../terminal/errors.ts'
import { defineVerb, group, type Use, type Verb } from '../terminal/verb.ts'

type Given = Use<typeof OPTIONS>['flags']

const [COMMAND_MS, PROGRESS_MS] = [30_000, 5_000]
const OPTIONS = { ...group('Options:', PROVE_OPTIONS), ...SECRET_OPTIONS }

/** Attacks a receiver. Exits 0 when nothing was found, 1 when something was, 2 when it could not be run whole. */
export const verb: Verb = defineVerb({
  name: 'prove',
  heading: 'Checks',
  summary: 'attack a receiver of webhooks, and judge it by money',
  description:
    "Attacks a receiver of webhooks with orders, and compares the shop's state of each with the service's.\n" +
    'Exits 0 when nothing was found, 1 when something was, 2 when it did not run to its end. Never for a live shop.',
  examples: [
    "prove --url http://localhost --state 'http://localhost/{order_id}'",
    'prove --url http://127.0.0.1:3000/webhooks --state-command ./state.sh',
  ],
  readOn: 'guides/prove.md',
  options: OPTIONS,
  note: 'More options, such as --refund-command, --header and --junit: guides/prove.md.',
  async run({ flags, terminal: { out, err }, signal }) {
    const { json, report: page, junit, sarif, stories = 'prove-stories' } = flags
    try {
      const report = await kit.prove({ ...(await optionsOf(flags, err)), signal })
      const written = await writeStories(report, stories)
      if (page !== undefined) await writeFile(page, reportPage(report))
      if (junit !== undefined) await writeFile(junit, junitOf(report))
      if (sarif !== undefined) await writeFile(sarif, sarifOf(report, written))
      out(json ? JSON.stringify(report) : kit.reportText(report))
      if (written.size > 0 && !json)
        err(`Play one again with edgetill prove --story FILE: ${[...written.values()].join(', ')}`)
      if (report.findings.length > 0) return 1
      return signal.aborted ? 130 : report.complete ? 0 : 2
    } catch (error) {
      if (!(error instanceof kit.ProveError)) throw error
      // On a command line nothing is a function.
      const message = error.message.replace('must be a function, or an', 'must be an')
      if (json) out(errorLine(new UsageError(message)))
      else err(message)
      return 2
    }
  },
})

async function optionsOf(flags: Given, note: (text: string) => void): Promise<kit.ProveOptions> {
  const { envFile: _, secretFile: __, paid, refunded, shipped, currency, header = [], story, ...rest } = flags
  const { stateCommand, createCommand, restartCommand, refundCommand, captureCommand, ...options } = rest
  const { report: _page, junit: _junit, sarif: _sarif, stories: _stories, json: _json, log, ...settings } = options
  if (!flags.state === !stateCommand) throw new UsageError('Pass --state URL or --state-command COMMAND.')
  const [{ value: apiSecret }] = await readSecrets(flags)
  const reading = { paths: { paid, refunded, shipped, currency }, units: settings.units as kit.ProveOptions['units'] }
  const filled = (line: string, values: object): string =>
    line.replaceAll(/\{(order_id|amount|currency|key)\}/g, (_, name) => String(values[name as keyof typeof values]))
  const createOrder = async (line: string, order: kit.AskedOrder): Promise<unknown> => {
    const text = await run(filled(line, order))
    return /^\s*\{/.test(text) ? JSON.parse(text) : { order_id: text.trim() || order.order_id }
  }
  const button = (line: string | undefined) => line && ((press: object) => run(filled(line, press)))
  const state = async (order_id: string) =>
    kit.stateOf(await run(filled(stateCommand ?? '', { order_id })), reading, 'the command printed')
  const waits = new Set<string>()
  let saidAt = Date.now()
  if (log !== undefined) writeFileSync(log, '')
  return {
    ...settings,
    ...reading,
    apiSecret,
    headers: Object.fromEntries(header.map((line) => /^([^:]+):\s*(.*)$/.exec(line)?.slice(1) ?? [line, ''])),
    state: settings.state ?? state,
    create: settings.create ?? (createCommand && ((order: kit.AskedOrder) => createOrder(createCommand, order))),
    restart: restartCommand ? () => run(restartCommand) : undefined,
    refund: settings.refund ?? button(refundCommand),
    capture: settings.capture ?? button(captureCommand),
    ...(story !== undefined && { story: await readJsonFile('--story', story) }),
    onWait: (says) => void (waits.size < waits.add(says).size && note(`Waiting: ${says}`)),
    onProgress(done, of) {
      if (Date.now() - saidAt < PROGRESS_MS || flags.json) return
      saidAt = Date.now()
      note(`${done} of ${of} orders`)
    },
    ...(log !== undefined && { onRequest: (one: object) => appendFileSync(log, `${JSON.stringify(one)}\n`) }),
  } as kit.ProveOptions
}

/** Runs a command until it exits. Its background processes are not waited for, even if they keep a stream open. */
function run(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(line, { shell: true, stdio: ['ignore', 'pipe', 'ignore'] })
    let text = ''
    child.stdout.on('data', (chunk) => (text += chunk))
    const end = (error?: kit.ProveError): void => {
      clearTimeout(timer)
      child.stdout.destroy()
      if (error) reject(error)
      else resolve(text)
    }
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      end(new kit.ProveError(`The command does not end within ${COMMAND_MS / 1000} s: ${line}`))
    }, COMMAND_MS)
    child.on('error', (error) => end(new kit.ProveError(`The command cannot be run: ${line}: ${error.message}`)))
    child.on('exit', (code) => {
      // Its last output may still be on its way.
      setImmediate(() => end(code === 0 ? undefined : new kit.ProveError(`The command exits with ${code}: ${line}`)))
    })
  })
}

/** A file for each finding, so that it can be played again: after a correction, and in the shop's own tests. */
async function writeStories({ findings }: kit.ProveReport, folder: string): Promise<Map<kit.ProveFinding, string>> {
  const written = new Map<kit.ProveFinding, string>()
  for (const one of findings) if (one.file) written.set(one, join(folder, `${one.cause}-${slug(one.verdict)}.json`))
  if (written.size > 0) await mkdir(folder, { recursive: true })
  for (const [{ file }, path] of written) await writeFile(path, `${JSON.stringify(file, null, 2)}\n`)
  return written
}

const slug = (verdict: string): string => verdict.replaceAll(/\W+/g, '-')
