import dns from 'node:dns/promises'
import type { ClientConfig } from '../../config.ts'
import { checkEnvironment, compareEnvironments } from '../project/check-project.ts'
import { checkVersion } from '../project/check-version.ts'
import { type Project, readProject } from '../project/read-project.ts'
import { readWranglerToml } from '../project/wrangler-toml.ts'
import { configOf, readSettings, SERVICE_OPTIONS, type Settings } from '../service/configuration.ts'
import { CONFORM_OPTIONS, examineAssumptions, rejectConformFlags } from '../service/doctor/conform.ts'
import { type Finding, failed, ok, skipped } from '../service/doctor/finding.ts'
import { judge } from '../service/doctor/judge.ts'
import { probeService } from '../service/doctor/probe.ts'
import { checkWebhookAddress, isWebAddress, type Lookup } from '../service/doctor/webhook-address.ts'
import { checkWebhookReceiver } from '../service/doctor/webhook-receiver.ts'
import { checkWorker } from '../service/doctor/worker.ts'
import { EXIT } from '../service/outcome.ts'
import { hooksOf } from '../service/service.ts'
import { workerOf, workerOptions } from '../service/worker.ts'
import type { Variables } from '../terminal/environment.ts'
import { type ExitCode, UsageError } from '../terminal/errors.ts'
import { isLoopback } from '../terminal/option-values.ts'
import { printable, type Terminal } from '../terminal/terminal.ts'
import { defineVerb, flag, group, option, type Use, type Verb } from '../terminal/verb.ts'

const OPTIONS = {
  ...group('Also check:', {
    webhookUrl: option('<URL>', 'whether webhooks arrive there: posts an unsigned form'),
    conform: flag('our assumptions, with payments in the test project: guides/conform.md'),
    ...CONFORM_OPTIONS,
    ...workerOptions('the worker there: health, token, webhooks, PUBLIC_ORIGIN, a test link'),
  }),
  ...group('A project of `edgetill init`, in place of the service:', {
    project: flag('whether the environments of wrangler.toml in this folder fit together'),
    env: option('<NAME>', 'with --project: whether this environment is ready to deploy'),
  }),
  ...SERVICE_OPTIONS,
}
type DoctorUse = Use<typeof OPTIONS, unknown>

const resolve: Lookup = async (host) => (await dns.lookup(host, { all: true })).map(({ address }) => address)

export const verb: Verb = defineVerb({
  name: 'doctor',
  heading: 'Checks',
  summary: 'check configuration, reachability, clock and credentials',
  description:
    'Checks configuration, reachability, clock, authentication and credentials with read-only calls.\n' +
    'With --webhook-url, checks the address and posts an unsigned form to it.\n' +
    'In a project of `edgetill init`, missing settings are read from wrangler.toml and .dev.vars.',
  examples: ['doctor --env-file shop.env', 'doctor --webhook-url https://shop.example.com/webhooks --json'],
  readOn: 'guides/going-live.md',
  options: OPTIONS,
  run: examine,
})

async function examine(use: DoctorUse): Promise<ExitCode> {
  const { flags, terminal, lookup = resolve } = use
  const { webhookUrl, workerUrl } = flags
  if (flags.conform && (flags.project || workerUrl)) {
    throw new UsageError('--conform is for the service: use it without --project and --worker-url.')
  }
  if (flags.project) return report(await examineProject(flags.env), use)
  if (!flags.conform) rejectConformFlags(flags)
  if (flags.env !== undefined) throw new UsageError('--env is an environment of a project: use it with --project.')
  const { signal } = use
  const project = await readProject(process.cwd())
  if (flags.conform) return examineAssumptions(use, await readSettings(flags, use.environment, project?.settings))
  const worker = workerUrl === undefined ? undefined : await workerOf(flags, use, tokenIn(project, workerUrl))
  const settings = await readSettings(flags, use.environment, worker ? {} : project?.settings)
  const isServiceKnown = worker === undefined || Object.keys(settings).length > 0
  const findings = isServiceKnown
    ? await examineService(settings, use, project)
    : [skipped('service', 'not checked: nothing is configured for it here')]
  if (project && !signal.aborted) findings.push(await checkVersion(process.cwd()))
  if (!signal.aborted) findings.push(...(await checkWebhookAddress(webhookUrl, lookup)))
  if (webhookUrl !== undefined && isWebAddress(webhookUrl) && !signal.aborted) {
    const checked = checkWebhookReceiver(webhookUrl, use.fetch, signal, {}, flags.timeout)
    findings.push(await checked.finally(terminal.progress('Posting to the receiver')))
  }
  if (worker && !signal.aborted) {
    const checked = checkWorker(worker, use, signal, { environments: project?.environments })
    findings.push(...(await checked.finally(terminal.progress('Calling the worker'))))
  }
  // An interrupted check proves nothing about the service.
  return signal.aborted ? 130 : report(findings, use)
}

/** The token of .dev.vars belongs only to the worker on this machine. */
const tokenIn = (project: Project | undefined, workerUrl = ''): Variables =>
  project?.token && isLoopback(workerUrl) ? { EDGETILL_WORKER_TOKEN: project.token } : {}

async function examineProject(env: string | undefined): Promise<Finding[]> {
  const environments = await readWranglerToml(process.cwd())
  return [
    await checkVersion(process.cwd()),
    ...compareEnvironments(environments),
    ...(env === undefined ? [] : checkEnvironment(environments, env)),
  ]
}

function report(findings: readonly Finding[], { flags, terminal }: DoctorUse): ExitCode {
  const isWrong = findings.some(({ result }) => result === 'failed')
  if (flags.json) terminal.out(JSON.stringify({ ok: !isWrong, findings }))
  else for (const finding of findings) terminal.out(describe(finding, terminal))
  return isWrong ? EXIT.failed : EXIT.done
}

async function examineService(settings: Settings, use: DoctorUse, project: Project | undefined): Promise<Finding[]> {
  const { flags, terminal, fetch, signal } = use
  let config: ClientConfig
  try {
    config = { ...configOf(settings, flags, ''), fetch, ...hooksOf(flags, terminal) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const [message = '', ...fix] = error.message.split('\n')
    if (project) fix.push('This project has them in wrangler.toml and .dev.vars, without EDGETILL_.')
    return [
      failed('configuration', message, fix.join(' ') || 'Correct this setting.'),
      skipped('service', 'not checked: correct the configuration first'),
    ]
  }
  const probes = await probeService(config, signal).finally(terminal.progress('Calling the service'))
  // Of secrets, that they are set.
  const sources = [...new Set(Object.values(settings).map(({ source }) => source))].join(', ')
  const summary = `complete (${sources}): ${config.baseUrl}, POS ${config.posId}`
  return [ok('configuration', summary), ...judge(probes, config.authentication ?? 'per-endpoint')]
}

const MARKS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const

function describe({ check, result, message, fix }: Finding, terminal: Terminal): string {
  const line = `${terminal.paint(MARKS[result], result.padEnd(7))}  ${check}: ${printable(message)}`
  return fix === undefined ? line : `${line}\n         fix: ${printable(fix)}`
}
