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

describe('configFromEnv', () => {
  it('reads what is required', () => {
    expect(configFromEnv(ENV)).toEqual({
      baseUrl: 'https://pay.example.com',
      posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
      apiKey: 'api-key-1',
      apiSecret: 'api-secret-1',
      endpointsKey: 'endpoints-key-1',
      scheme: 'ABC',
    })
    expect(() => createClient(configFromEnv(ENV))).not.toThrow()
  })

  it('reads what is optional; an empty variable counts as missing', () => {
    const optional = {
      EDGETILL_API_URL: 'https://api.example.com',
      EDGETILL_AUTHENTICATION: 'plain',
    }
    expect(configFromEnv({ ...ENV, ...optional })).toMatchObject({
      apiUrl: 'https://api.example.com',
      authentication: 'plain',
    })
    const empty = { EDGETILL_API_URL: '', EDGETILL_AUTHENTICATION: '' }
    expect(configFromEnv({ ...ENV, ...empty })).toEqual(configFromEnv(ENV))
  })

  it('names all that is missing at once', () => {
    expect(() => configFromEnv({ EDGETILL_API_KEY: '', EDGETILL_POS_ID: 5, STATE: {} })).toThrow(
      expect.objectContaining({
        code: 'config',
        field: 'EDGETILL_BASE_URL',
        message:
          'Set EDGETILL_BASE_URL, EDGETILL_POS_ID, EDGETILL_API_KEY, EDGETILL_API_SECRET, EDGETILL_ENDPOINTS_KEY, EDGETILL_SCHEME: ' +
          'the merchant portal shows what to set.',
      }),
    )
    expect(() => configFromEnv({ ...ENV, EDGETILL_API_SECRET: undefined })).toThrow(/^Set EDGETILL_API_SECRET: /)
  })

  it('rejects an authentication that does not exist, without repeating it', () => {
    expect(() => configFromEnv({ ...ENV, EDGETILL_AUTHENTICATION: 'api-secret-1' })).toThrow(
      expect.objectContaining({
        field: 'EDGETILL_AUTHENTICATION',
        message: 'EDGETILL_AUTHENTICATION must be per-endpoint or plain.',
      }),
    )
  })
})
