import { describe, expect, it } from 'vitest'
import * as sdk from '../src/index.ts'
import { isWebhookVerificationError, WebhookVerificationError } from '../src/webhooks/index.ts'
import { inspect } from './support/inspect.ts'

const CALL = { method: 'POST', path: '/api/v1/capture', attempts: 1 }
const API = { status: 400, apiCode: 'V-1', apiMessage: 'No', violations: [], retryable: false, retryAfterMs: undefined }
const ISSUES = [{ path: 'amount', message: 'must be x', received: 'string' }]
// Joined, because Bun prints the source lines around an error.
const CANARY = ['can', 'ary'].join('')
const BODY = { secret: CANARY }

const LOST = { reason: 'timeout', howToFindOut: 'Ask.', operation: 'capturePayment' } as const
const UNKNOWN = { ...LOST, sent_at: '2026-01-02T03:04:05.678Z' }
const ODD = { status: 200, issues: [], body: BODY }
const errors = {
  config: new sdk.ConfigError('apiKey', 'apiKey is missing.'),
  input: new sdk.InvalidInputError('capturePayment', ISSUES),
  connection: new sdk.ConnectionError('lost', CALL, 'interrupted', new Error('cause')),
  unknown: new sdk.OutcomeUnknownError('Lost.', CALL, UNKNOWN),
  api: new sdk.ApiError('refused', CALL, { ...API, body: BODY }),
  response: new sdk.UnexpectedResponseError('odd.', CALL, ODD),
  webhook: new WebhookVerificationError('not_json', 'odd', CANARY),
}

const ERRORS: [name: string, code: sdk.ErrorCode, error: sdk.EdgetillError, guard: (error: unknown) => boolean][] = [
  ['ConfigError', 'config', errors.config, sdk.isConfigError],
  ['InvalidInputError', 'invalid_input', errors.input, sdk.isInvalidInputError],
  ['ConnectionError', 'connection', errors.connection, sdk.isConnectionError],
  ['OutcomeUnknownError', 'outcome_unknown', errors.unknown, sdk.isOutcomeUnknownError],
  ['ApiError', 'api', errors.api, sdk.isApiError],
  ['UnexpectedResponseError', 'unexpected_response', errors.response, sdk.isUnexpectedResponseError],
  ['WebhookVerificationError', 'webhook_verification', errors.webhook, isWebhookVerificationError],
]

describe.each(ERRORS)('%s', (name, code, error) => {
  it('has a literal name and code, and is an Error', () => {
    expect(error).toMatchObject({ name, code })
    expect(error).toBeInstanceOf(Error)
    expect(error).toBeInstanceOf(sdk.EdgetillError)
    expect(String(error)).toMatch(new RegExp(`^${name}: `))
  })

  it('is recognised by its guard alone, also when it comes from another copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { name, code })
    // An error of another realm (Jest's, a vm's, an iframe's) is an instance of no Error of ours, and has this tag.
    const ofAnotherRealm = { name, code, [Symbol.toStringTag]: 'Error' }
    for (const [other, , , guard] of ERRORS) {
      expect([error, foreign, ofAnotherRealm].map(guard)).toEqual(Array(3).fill(other === name))
      // Other libraries have errors with such codes.
      for (const none of [{ name, code }, Object.assign(new Error('x'), { code }), undefined])
        expect(guard(none)).toBe(false)
    }
  })

  it('shows nothing of an answer or a webhook by accident', () => {
    expect(`${inspect(error)}${JSON.stringify(error)}${error.stack}`).not.toContain(CANARY)
  })
})

it('keeps what it is given', () => {
  expect(errors.connection).toMatchObject({ ...CALL, reason: 'interrupted', cause: { message: 'cause' } })
  expect(errors.unknown).toMatchObject({ reason: 'timeout', howToFindOut: 'Ask.' })
  expect(errors.unknown).not.toHaveProperty('status')
  expect(errors.unknown.message).toBe('Lost. Whether it was processed is unknown. Ask.')
  expect(errors.api).toMatchObject({ ...API, body: BODY })
  expect(errors.response).toMatchObject(ODD)
  expect(errors.webhook).toMatchObject({ reason: 'not_json', verified: true, data: CANARY })
  expect(new WebhookVerificationError('method', 'odd')).toMatchObject({ verified: false, data: undefined })
})

it('an error without a cause has no cause', () => {
  expect('cause' in new sdk.ConfigError('x', 'y')).toBe(false)
})

it('issues read as a sentence', () => {
  const issues = [
    { path: 'split[0].amount', message: 'must be a number', received: 'string' },
    { path: '', message: 'must be an object', received: 'null' },
  ]
  expect(new sdk.InvalidInputError('createPayment', issues, true).message).toBe(
    'Invalid input for createPayment, nothing was sent: split[0].amount: must be a number (received: string); ' +
      'the whole value: must be an object (received: null).',
  )
})
