import { describe, expect, it } from 'vitest'
import { ResolvedConfig, resolveConfig } from '../src/config.ts'
import { createClient } from '../src/index.ts'
import { inspect } from './support/inspect.ts'
import { CONFIG } from './support/mock-fetch.ts'

describe('addresses', () => {
  it.each([
    ['https://pay.example.com', 'https://pay.example.com'],
    ['https://pay.example.com/', 'https://pay.example.com'],
    ['https://pay.example.com/gateway//', 'https://pay.example.com/gateway'],
    ['HTTPS://PAY.example.com:443', 'https://pay.example.com'],
    ['https://pay.example.com:8443', 'https://pay.example.com:8443'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://shop.localhost', 'http://shop.localhost'],
    ['http://127.0.0.1:1', 'http://127.0.0.1:1'],
    ['http://127.5.5.5', 'http://127.5.5.5'],
    ['http://[::1]:80', 'http://[::1]'],
  ])('%s', (given, used) => {
    expect(resolveConfig({ ...CONFIG, baseUrl: given, apiUrl: given })).toMatchObject({ baseUrl: used, apiUrl: used })
  })

  it('http: beyond loopback is accepted with allowInsecureHttp alone', () => {
    const insecure = { ...CONFIG, baseUrl: 'http://emulator:4010', apiUrl: 'http://192.168.1.5:4010/balances-api' }
    for (const allowInsecureHttp of [undefined, false]) {
      expect(() => resolveConfig({ ...insecure, allowInsecureHttp })).toThrow(/with allowInsecureHttp/)
    }
    const { baseUrl, apiUrl } = resolveConfig({ ...insecure, allowInsecureHttp: true })
    expect([baseUrl, apiUrl]).toEqual([insecure.baseUrl, insecure.apiUrl])
    expect(() => resolveConfig({ ...CONFIG, baseUrl: 'ftp://emulator', allowInsecureHttp: true })).toThrow(/https/)
  })
})

describe('credentials', () => {
  it.each(['apiKey', 'apiSecret', 'endpointsKey'] as const)('%s: any visible ASCII will do, of any length', (field) => {
    for (const value of ['x', '!"#$%&\'()*+,-./;<=>?@[\\]^_`{|}~', 'y'.repeat(5000)]) {
      expect(resolveConfig({ ...CONFIG, [field]: value }).given[field]).toBe(value)
    }
    expect(resolveConfig({ ...CONFIG, apiSecret: 'a:b' }).given.apiSecret).toBe('a:b')
  })

  it('may come from getters of a class', () => {
    class Settings {
      get apiSecret() {
        return 'api-secret-2'
      }
    }
    const { apiSecret: _, ...others } = CONFIG
    expect(resolveConfig(Object.assign(new Settings(), others)).given.apiSecret).toBe('api-secret-2')
  })

  it('are shown neither by inspect, nor as JSON, nor among the keys', () => {
    const resolved = resolveConfig(CONFIG)
    const texts = [inspect(resolved), inspect(createClient(CONFIG)), JSON.stringify([resolved, { ...resolved }])]
    expect(texts.join()).not.toMatch(/api-key-1|api-secret-1|endpoints-key-1/)
    expect(resolved.given).toMatchObject({
      apiKey: 'api-key-1',
      apiSecret: 'api-secret-1',
      endpointsKey: 'endpoints-key-1',
    })
  })
})

describe('options', () => {
  it('have defaults, which zero is not replaced by', () => {
    expect(resolveConfig(CONFIG)).toMatchObject({
      ...{ scheme: 'SVC', authentication: 'per-endpoint', customerFields: 'optional', timeoutMs: 30_000 },
      ...{ maxRetries: 2, userAgent: 'edgetill', apiUrl: CONFIG.apiUrl },
    })
    const { maxRetries, apiUrl } = resolveConfig({ ...CONFIG, maxRetries: 0, apiUrl: undefined })
    expect([maxRetries, apiUrl]).toEqual([0, undefined])
  })

  it('later changes of the object change nothing', () => {
    const config = { ...CONFIG, apiSecret: 'first' }
    const resolved = resolveConfig(config)
    config.apiSecret = 'second'
    expect(resolved.given.apiSecret).toBe('first')
    expect(resolveConfig(resolved)).toBe(resolved)
    expect(resolved).toBeInstanceOf(ResolvedConfig)
  })
})
