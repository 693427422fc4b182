import { type ClientConfig, LOOPBACK } from '../../config.ts'
import { ConfigError } from '../../errors.ts'
import { isAmount } from '../../lib/decimal.ts'
import { redactor } from '../../lib/redact.ts'
import { sha256Base64url } from '../../lib/sha256.ts'
import { cleanUp } from './clean-up.ts'
import { PROBE_TEXTS } from './inputs.ts'
import { differs, type Judgement, notTried } from './judgement.ts'
import { openProject, type ProjectSettings } from './project.ts'
import type { ConformReport } from './report.ts'
import { newState, type RunState, readState, type StateStore } from './state.ts'
import type { Need, Story } from './statement.ts'
import { ACCESS } from './stories/access.ts'
import { CHECKOUT } from './stories/checkout.ts'
import { PAID } from './stories/paid.ts'
import { SHAPES, STAYS_UNTRIED } from './stories/untried.ts'
import { VARIANTS } from './stories/variants.ts'
import { WEBHOOKS } from './stories/webhooks.ts'

export interface ConformOptions extends ProjectSettings {
  config: ClientConfig
  /** The stated kind of the project: nothing in its address or in its credentials shows whether it is live. */
  project: 'test' | 'live' | undefined
  store: StateStore
  /** Interrupts the run: it goes on from `store`. */
  signal: AbortSignal
}

const STORIES: readonly Story[] = [...ACCESS, CHECKOUT, ...VARIANTS, ...PAID, ...WEBHOOKS, SHAPES, STAYS_UNTRIED]

const LACKS: Readonly<Record<Need, string>> = {
  card: 'no test card: set EDGETILL_TEST_CARD',
  subMerchant: 'no sub-merchant: pass --sub-merchant UUID',
  apiUrl: 'no api_url: set EDGETILL_API_URL',
  payByHand: 'no payment on the page: pass --pay-by-hand',
  webhooks: 'no address for webhooks: pass --webhook-url URL, which leads to --webhook-port',
}

// Sends nothing unless you state that the project is the test project (a loopback address always is).
/** Tries the package's assumptions against a project of the service. Undefined when it was interrupted. */
export async function conform(options: ConformOptions): Promise<ConformReport | undefined> {
  const { config, store, signal } = options
  allow(options)
  const state = readState(await store.load(), sha256Base64url(`${config.baseUrl} ${config.posId}`))
  const save = () => store.save(state)
  const project = openProject(options, state, save)
  try {
    for (const story of STORIES) {
      if (state.done[story.id] === undefined && whyNot(story, options, state) === undefined) {
        state.done[story.id] = await story.play(project)
        await save()
      }
    }
    await cleanUp(project, save)
  } catch (error) {
    if (!signal.aborted) throw error
    return undefined
  }
  const report = reportOf(state, options)
  // The next run starts from the beginning, and tries again to undo the open orders.
  const left = state.made.filter(({ open }) => open)
  await store.save(left.length > 0 ? newState(state.project, left) : undefined)
  return cleaned(report, options)
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function allow({ config, project, amount, currency, subMerchant }: ConformOptions): void {
  const wrong = (field: string, takes: string) => new ConfigError(field, `${field} takes ${takes}.`)
  if (!isAmount(amount)) throw wrong('--amount', 'a positive amount with at most 2 decimals, like 0.01')
  if (!/^[A-Z]{3}$/.test(currency)) throw wrong('--currency', 'a currency, like UAH')
  if (subMerchant !== undefined && !UUID.test(subMerchant)) throw wrong('--sub-merchant', 'a UUID')
  if (project !== undefined || LOOPBACK.test(new URL(config.baseUrl).hostname)) return
  throw new ConfigError(
    'project',
    '--conform makes payments, and cannot see whether these credentials belong to the test project or to the live ' +
      'one. Look them up in the merchant portal. For the test project, pass --test-project. For the live project, ' +
      'pass --live-with-smallest-amounts.',
  )
}

/** Why a story cannot be played; undefined when it can. */
function whyNot({ id, needs }: Story, options: ConformOptions, state: RunState): string | undefined {
  const has: Record<Need, unknown> = { ...options, apiUrl: options.config.apiUrl } as never
  const lacking = needs.find((need) => has[need] === undefined)
  if (lacking !== undefined) return LACKS[lacking]
  const isLocked = state.done.authentication !== undefined && state.authentication === undefined
  if (id === 'authentication' || !isLocked) return undefined
  return 'no call of the first statements was accepted: run edgetill doctor'
}

/** A reason of this length appears once: later statements refer to the first one. */
const MAX_REPEATED = 20
const OTHER_SHAPE = /in another shape(: (.*))?$/

/** Reports responses of another shape as one difference, not as one for each statement. */
function shaped(id: string, judgement: Judgement, { done }: RunState): Judgement {
  const all = Object.values(done).flat()
  const odd = all.filter(({ result, seen }) => result === 'differs' && OTHER_SHAPE.test(seen)).map(({ seen }) => seen)
  if (odd.length < 2) return judgement
  if (id === 'shape_of_records' && judgement.result === 'holds') {
    const lacks = [...new Set(odd.flatMap((seen) => OTHER_SHAPE.exec(seen)?.[2] ?? []))].join('; ')
    return differs(`${odd.length} responses in another shape${lacks && `: ${lacks}`}`)
  }
  const rests = judgement.result === 'differs' && OTHER_SHAPE.test(judgement.seen)
  return rests ? notTried('its response is in another shape: see shape_of_records') : judgement
}

function reportOf(state: RunState, options: ConformOptions): ConformReport {
  const firstIds = new Map<string, string>()
  const once = (id: string, { result, seen }: Judgement): Judgement => {
    const first = firstIds.get(seen)
    if (result !== 'not tried' || seen.length < MAX_REPEATED) return { result, seen }
    firstIds.set(seen, first ?? id)
    return notTried(first ? `see ${first}` : seen)
  }
  const statements = STORIES.flatMap((story) => {
    const why = notTried(whyNot(story, options, state) ?? '')
    return story.statements.map(({ follow, ...statement }, index) => {
      const judgement = once(statement.id, shaped(statement.id, state.done[story.id]?.[index] ?? why, state))
      return { ...statement, ...judgement, ...(judgement.result === 'differs' && { follow }) }
    })
  })
  const made = state.made.map(({ order_id, what, now, open }) => ({ order_id, what, now, open }))
  return { statements, undocumented: state.undocumented, made: made as ConformReport['made'] }
}

/** Cuts secrets out of the report. It consists of words of this package, so this is a second safeguard. */
function cleaned(report: ConformReport, { config, card }: ConformOptions): ConformReport {
  const { apiKey, apiSecret, endpointsKey, posId } = config
  const secrets = [apiKey, apiSecret, endpointsKey, posId, ...PROBE_TEXTS]
  if (card) secrets.push(card.cc_number)
  return redactor(secrets).value(report, 1_000_000) as ConformReport
}
