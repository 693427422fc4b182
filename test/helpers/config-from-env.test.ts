import { describe, expect, it } from 'vitest'
import { configFromEnv, createClient } from '../../src/index.ts'

const ENV = {
  EDGETILL_BASE_URL: 'https://pay.example.com',
  EDGETILL_POS_ID: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  EDGETILL_API_KEY: 'api-key-1',
  EDGETILL_API_SECRET: 'api-secret-1',
  EDGETILL_ENDPOINTS_KEY: 'endpoints-key-1',
  EDGETILL_SCHEME: 'ABC',
}
const REQUIRED = {
  baseUrl: 'https://pay.example.com',
  posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  apiKey: 'api-key-1',
  apiSecret: 'api-secret-1',
  endpointsKey: 'endpoints-key-1',
  scheme: 'ABC',
}

describe('configFromEnv', () => {
  it('reads what is required, and what is optional; an empty variable counts as missing', () => {
    const optional = { EDGETILL_API_URL: 'https://api.example.com', EDGETILL_AUTHENTICATION: 'plain' }
    const whole = { ...REQUIRED, apiUrl: 'https://api.example.com', authentication: 'plain' }
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
    expect(() => configFromEnv({ ...ENV, [field]: 'api-secret-1' })).toThrow(
      expect.objectContaining({ field, message }),
    )
  })
})
