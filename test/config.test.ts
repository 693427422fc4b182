import { describe, expect, it } from 'vitest'
import { ResolvedConfig, resolveConfig } from '../src/config.ts'
import { type ClientConfig, createClient } from '../src/index.ts'
import { inspect } from './support/inspect.ts'
import { CONFIG } from './support/wire.ts'

function refusal(change: object): Error & { field?: string; code?: string } {
  try {
    resolveConfig({ ...CONFIG, ...change } as ClientConfig)
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigError', code: 'config' })
    return error as Error
  }
  throw new Error('It was accepted.')
}

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

  it.each([
    undefined,
    '',
    'pay.example.com',
    '/api',
    'ftp://pay.example.com',
    'http://pay.example.com',
    'http://localhost.example.com',
    'http://notlocalhost',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'https://user@pay.example.com',
    'https://user:pass@pay.example.com',
    'https://pay.example.com?x=1',
    'https://pay.example.com#x',
    'https://pay.example.com/api/v1',
    'https://pay.example.com/api/v1/',
    5,
    null,
  ])('refuses %s', (address) => {
    expect(refusal({ baseUrl: address }).field).toBe('baseUrl')
    if (address !== undefined) expect(refusal({ apiUrl: address }).field).toBe('apiUrl')
  })

  it('apiUrl may be left out', () => {
    expect(resolveConfig({ ...CONFIG, apiUrl: undefined }).apiUrl).toBeUndefined()
  })
})

describe('credentials', () => {
  const CREDENTIALS = ['apiKey', 'apiSecret', 'endpointsKey'] as const

  it.each(CREDENTIALS)('%s: any visible ASCII will do, of any length', (field) => {
    for (const value of ['x', '!"#$%&\'()*+,-./;<=>?@[\\]^_`{|}~', 'y'.repeat(5000)]) {
      expect(resolveConfig({ ...CONFIG, [field]: value })[field]).toBe(value)
    }
  })

  it.each(CREDENTIALS)(
    '%s is refused when it is missing, framed by white space, or no header can carry it',
    (field) => {
      for (const value of [
        undefined,
        null,
        '',
        5,
        'canary ',
        ' canary',
        'canary\n',
        '\u00a0canary',
        'can ary',
        'canary\u0000',
        'canaryї',
        'can\u007fary',
      ]) {
        const error = refusal({ [field]: value })
        expect(error.field).toBe(field)
        expect(`${error.message}${error.stack?.split('\n')[0]}`).not.toContain('canary')
      }
    },
  )

  it('an API key with a colon would be cut in two', () => {
    expect(refusal({ apiKey: 'a:b' }).field).toBe('apiKey')
    expect(resolveConfig({ ...CONFIG, apiSecret: 'a:b' }).apiSecret).toBe('a:b')
  })

  it('are shown neither by inspect, nor as JSON, nor among the keys', () => {
    const resolved = resolveConfig(CONFIG)
    for (const shown of [
      inspect(resolved),
      JSON.stringify(resolved),
      JSON.stringify({ ...resolved }),
      inspect(createClient(CONFIG)),
    ]) {
      expect(shown).not.toMatch(/api-key-1|api-secret-1|endpoints-key-1/)
    }
    expect(resolved).toMatchObject({ apiKey: 'api-key-1', apiSecret: 'api-secret-1', endpointsKey: 'endpoints-key-1' })
  })
})

describe('options', () => {
  it('have defaults', () => {
    expect(resolveConfig(CONFIG)).toMatchObject({
      scheme: 'SVC',
      authentication: 'documented',
      customerFields: 'required',
      timeoutMs: 30_000,
      maxRetries: 2,
      userAgent: 'edgetill',
    })
    expect(resolveConfig(CONFIG).fetch).toBe(globalThis.fetch)
  })

  it('zero is a value, not a missing one', () => {
    expect(resolveConfig({ ...CONFIG, maxRetries: 0 }).maxRetries).toBe(0)
  })

  it.each<[keyof ClientConfig, unknown[]]>([
    ['posId', [undefined, '', 'pos', '3f1c2c1e6a5c4b8e9d530a4c1c7d2b11', `${CONFIG.posId}/..`]],
    ['scheme', ['', 'two words', 'SVC\n', 'ї']],
    ['authentication', ['', 'hmac', 'PLAIN']],
    ['customerFields', ['no', true]],
    ['timeoutMs', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '30']],
    ['maxRetries', [-1, 1.5, 11, '2', Number.NaN]],
    ['userAgent', ['', 'shop\r\nx: y', 'крамниця']],
  ])('%s', (field, wrong) => {
    for (const value of wrong) expect(refusal({ [field]: value }).field).toBe(field)
  })

  it('later changes of the object change nothing', () => {
    const config = { ...CONFIG, apiSecret: 'first' }
    const resolved = resolveConfig(config)
    config.apiSecret = 'second'
    expect(resolved.apiSecret).toBe('first')
    expect(resolveConfig(resolved)).toBe(resolved)
    expect(resolved).toBeInstanceOf(ResolvedConfig)
  })

  it('nothing at all is refused with words', () => {
    for (const value of [undefined, null, 'x', 5]) {
      expect(() => resolveConfig(value as unknown as ClientConfig)).toThrow(/must be an object|baseUrl/)
    }
  })
})

it.each(['fetch', 'signer', 'random', 'onRequest', 'onResponse', 'onRetry', 'onWarning'])(
  '%s must be a function',
  (field) => {
    const config = { ...CONFIG, [field]: 'x' } as unknown as ClientConfig
    expect(() => createClient(config)).toThrow(expect.objectContaining({ code: 'config', field }))
  },
)
