import { newOrderId } from '../../../helpers/order-id.ts'
import { isLoopback } from '../../terminal/option-values.ts'
import type { Surroundings } from '../../terminal/verb.ts'
import { hostedOrder } from '../hosted-order.ts'
import { causeOf } from '../outcome.ts'
import { askWorker, type Worker, type WorkerResponse } from '../worker.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'
import { checkWebhookReceiver } from './webhook-receiver.ts'

const TIMEOUT_MS = 20_000
const LOG = 'Look at its log: npx wrangler tail.'

type Ask = (call: string, input?: object, to?: Worker) => Promise<WorkerResponse>
type Environment = { name: string | undefined; vars: Readonly<Record<string, unknown>> }
type Environments = readonly Environment[]

/** Checks a worker from outside. In test mode it makes a link, opens it, and cancels and revokes both. */
export async function checkWorker(
  worker: Worker,
  around: Surroundings,
  signal: AbortSignal,
  { environments = [] }: { environments?: Environments | undefined } = {},
): Promise<Finding[]> {
  const { origin } = worker
  const asking =
    (...also: AbortSignal[]): Ask =>
    (call, input, to = worker) =>
      askWorker(to, call, around, AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...also]), input)
  const ask = asking(signal)
  const findings: Finding[] = []
  try {
    const { status, body } = await ask('GET /health')
    if (body.status === 'closed') {
      const cure = 'Load its log into the new shop with `edgetill load`: guides/server.md, "Moving a shop".'
      return [failed('worker', `${origin} is closed: the shop moves to another database`, cure)]
    }
    if (!isHealth(body)) {
      const why = `${origin} responded ${status} to GET /health, not as an edgetill worker does`
      return [failed('worker', why, 'Is --worker-url the origin of the worker, and is it deployed?')]
    }
    const mode = body.mode === 'test' ? 'test' : 'live'
    const environment =
      environments.find(({ vars }) => vars.PUBLIC_ORIGIN === origin) ??
      environments.find(({ name }) => name === (isLoopback(origin) ? undefined : mode))
    const token = await ask('GET /api/edgetill-doctor')
    findings.push(
      ...configuration(body, mode, environment),
      tokenOf(token),
      ...modeOf(mode, environment, environments),
      // A worker with SENDER_CHECK = "enforce" rejects this machine before it looks at a signature.
      await checkWebhookReceiver(`${origin}/webhooks`, around.fetch, signal, { 403: 'Forbidden' }),
    )
    if (mode === 'live') {
      findings.push(await publicOrigin(environment && String(environment.vars.PUBLIC_ORIGIN ?? ''), ask))
      findings.push(skipped('worker link', 'not made: MODE is live'))
    } else if (token.status !== 404 || body.status !== 'ok') {
      findings.push(skipped('worker link', 'not made: correct the failures above first'))
    } else findings.push(...(await tryLink(ask, asking())))
  } catch (error) {
    const fix = 'Check the address and the network; is the worker deployed, or `npm run dev` running?'
    findings.push(failed('worker', `no response at ${origin} (${causeOf(error)})`, fix))
  }
  return findings
}

const isHealth = ({ status }: Record<string, unknown>): boolean => status === 'ok' || status === 'misconfigured'

const SECRET = /(_KEY|SECRET|_PREVIOUS|ADMIN_TOKEN|PEOPLE)$/

function configuration({ status, problems }: Record<string, unknown>, mode: string, own?: Environment): Finding[] {
  if (status === 'ok') return [ok('worker', `healthy, MODE ${mode}`)]
  if (!Array.isArray(problems)) {
    return [failed('worker', 'misconfigured', 'With the right ADMIN_TOKEN, edgetill doctor names the mistake.')]
  }
  const [flag, table] = own?.name === undefined ? ['', '[vars]'] : [` --env ${own.name}`, `[env.${own.name}.vars]`]
  return problems.map(({ binding, problem }: { binding?: unknown; problem?: unknown }) => {
    const fix = SECRET.test(String(binding))
      ? `Set it with \`npx wrangler secret put ${binding}${flag}\`, on your machine in .dev.vars.`
      : `Correct it in ${own ? table : 'wrangler.toml'}, and deploy again.`
    return failed(`worker ${binding}`, String(problem), fix)
  })
}

function tokenOf({ status }: WorkerResponse): Finding {
  const check = 'worker token'
  if (status === 404) return ok(check, 'accepted')
  const fix = 'Pass the ADMIN_TOKEN that this worker has: each environment has a different one.'
  if (status === 401) return failed(check, 'not accepted', fix)
  return failed(check, `the worker responded ${status} under /api`, `Correct the failures above. ${LOG}`)
}

/** Whether the worker fits its environment, with addresses that the other environment does not have. */
function modeOf(mode: string, own: Environment | undefined, environments: Environments): Finding[] {
  if (!own) return [skipped('worker MODE', `${mode}; in its project, doctor compares it with wrangler.toml`)]
  const table = own.name === undefined ? '[vars]' : `[env.${own.name}.vars]`
  const wrong = (own.name === 'live') !== (mode === 'live') && ['live', 'test', undefined].includes(own.name)
  if (wrong || own.vars.MODE !== mode) {
    const fix = `Set MODE = "${own.name === 'live' ? 'live' : 'test'}" in ${table}, and deploy again.`
    return [failed('worker MODE', `the worker runs as ${mode}`, fix)]
  }
  const other = environments.find(({ name }) => name === (mode === 'live' ? 'test' : 'live'))
  const isSame = (name: string) => own.vars[name] && own.vars[name] === other?.vars[name]
  const same = ['BASE_URL', 'API_URL', 'POS_ID'].filter(isSame)
  if (same.length === 0) return [ok('worker MODE', `${mode}, as in ${table}`)]
  const why = `${mode}, but ${same.join(', ')} are those of [env.${other?.name}.vars]`
  return [failed('worker MODE', why, `Write the values that the service gave you for ${mode} into ${table}.`)]
}

/**
 * Whether the address that links lead to is a worker's. Without the token: the owner of the address is not known yet.
 */
async function publicOrigin(known: string | undefined, ask: Ask): Promise<Finding> {
  const check = 'worker PUBLIC_ORIGIN'
  if (known === undefined) return skipped(check, 'not known: run this in the project')
  const set = 'the origin that customers reach the worker at, and deploy again.'
  if (known === '') return warning(check, 'is empty: POST /api/links makes no link', `Set it to ${set}`)
  const response = await ask('GET /health', undefined, { origin: known, token: 'none' }).catch((error) =>
    causeOf(error),
  )
  if (typeof response !== 'string' && isHealth(response.body)) return ok(check, known)
  const why =
    typeof response === 'string'
      ? `does not respond (${response})`
      : `responds ${response.status}, not as the worker does`
  return failed(check, `${known} ${why}`, `Set it to ${set} Is the route or the domain set up at Cloudflare?`)
}

/** @param askAlways Not ended by Ctrl-C: test orders are taken back all the same. */
async function tryLink(ask: Ask, askAlways: Ask): Promise<Finding[]> {
  const check = 'worker link'
  const order_id = newOrderId('doctor-')
  const order = hostedOrder(order_id, { amount: 1, currency: 'UAH', description: 'edgetill doctor' })
  const created = await ask('POST /api/links', { order })
  const { id, url, title, detail } = created.body
  if (typeof url !== 'string' || typeof id !== 'string' || !URL.canParse(url)) {
    const why = [title, detail].filter((text) => typeof text === 'string').join(' ')
    return [failed(check, `not made (${created.status}). ${why}`, `Correct this setting of the worker. ${LOG}`)]
  }
  const { origin, pathname } = new URL(url)
  const leads = await publicOrigin(origin, ask)
  const findings = [leads]
  if (leads.result !== 'ok') findings.push(skipped(check, 'not opened: PUBLIC_ORIGIN has to be right first'))
  else {
    const opened = await ask(`GET ${pathname}`, undefined, { origin, token: 'none' }).catch((error) => causeOf(error))
    if (typeof opened !== 'string' && opened.status === 303) findings.push(ok(check, 'opens a payment of the service'))
    else {
      const why = typeof opened === 'string' ? `no response (${opened})` : `the worker responded ${opened.status}`
      const fix = `Check its credentials of the service; for a 401, set AUTHENTICATION = "plain". ${LOG}`
      findings.push(failed(check, `opens no payment: ${why}`, fix))
    }
  }
  const undo = [`DELETE /api/links/${id}`, ...(leads.result === 'ok' ? [`POST /api/orders/${order_id}/cancel`] : [])]
  for (const call of undo) {
    const status = await askAlways(call).then((response) => response.status, causeOf)
    // A payment that was not opened cannot be cancelled.
    if (status === 200 || findings.some(({ result }) => result === 'failed')) continue
    findings.push(warning(check, `${call}: ${status}`, `Cancel the order with edgetill cancel ${order_id}.`))
  }
  return findings
}
