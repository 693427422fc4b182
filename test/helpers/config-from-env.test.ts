import { expect, it } from 'vitest'
import { configFromEnv, createClient } from '../../src/index.ts'
import { CONFIG } from '../support/mock-fetch.ts'

const ENV = {
  EDGETILL_BASE_URL: CONFIG.baseUrl,
  EDGETILL_POS_ID: CONFIG.posId,
  EDGETILL_API_KEY: CONFIG.apiKey,
  EDGETILL_API_SECRET: CONFIG.apiSecret,
  EDGETILL_ENDPOINTS_KEY: CONFIG.endpointsKey,
  EDGETILL_SCHEME: 'ABC',
}
const { apiUrl, ...REQUIRED } = { ...CONFIG, scheme: 'ABC' }

it('reads what is required, and what is optional; an empty variable counts as missing', () => {
  const optional = { EDGETILL_API_URL: apiUrl, EDGETILL_AUTHENTICATION: 'plain' }
  const whole = { ...REQUIRED, apiUrl, authentication: 'plain' }
  expect(configFromEnv({ ...ENV, ...optional })).toEqual(whole)
  expect(configFromEnv({ ...ENV, EDGETILL_API_URL: '', EDGETILL_AUTHENTICATION: '' })).toEqual(REQUIRED)
  expect(configFromEnv(ENV)).toEqual(REQUIRED)
  expect(() => createClient(configFromEnv(ENV))).not.toThrow()
})

it('names all that is missing at once', () => {
  const message = `Set ${Object.keys(ENV).join(', ')}: the merchant portal shows what to set.`
  expect(() => configFromEnv({ EDGETILL_API_KEY: '', EDGETILL_POS_ID: 5, STATE: {} })).toThrow(
    expect.objectContaining({ code: 'config', field: 'EDGETILL_BASE_URL', message }),
  )
  expect(() => configFromEnv({ ...ENV, EDGETILL_API_SECRET: undefined })).toThrow(/^Set EDGETILL_API_SECRET: /)
})

it('rejects an authentication that does not exist, without repeating it', () => {
  const field = 'EDGETILL_AUTHENTICATION'
  const message = `${field} must be per-endpoint or plain.`
  expect(() => configFromEnv({ ...ENV, [field]: 'secret' })).toThrow(expect.objectContaining({ field, message }))
})

it.each([
  ['true', true],
  ['1', true],
  ['Yes', true],
  ['false', false],
  ['0', false],
])('EDGETILL_ALLOW_INSECURE_HTTP=%s lets an emulator be reached by a name: %s', (value, allowed) => {
  const env = { ...ENV, EDGETILL_BASE_URL: 'http://emulator:4010', EDGETILL_ALLOW_INSECURE_HTTP: value }
  expect(configFromEnv(env).allowInsecureHttp).toBe(allowed)
  const create = () => createClient(configFromEnv(env))
  if (allowed) expect(create).not.toThrow()
  else expect(create).toThrow('https://')
})

it('rejects a truth value that cannot be read', () => {
  const field = 'EDGETILL_ALLOW_INSECURE_HTTP'
  const message = `${field} must be true or false.`
  expect(() => configFromEnv({ ...ENV, [field]: 'flase' })).toThrow(expect.objectContaining({ field, message }))
})
