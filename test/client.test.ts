import { expect, it } from 'vitest'
import { type ClientConfig, createClient, listAccounts } from '../src/index.ts'
import { CONFIG } from './support/mock-fetch.ts'

// A configuration that cannot work is rejected when the client is made; what a good one comes to is in config.test.ts.

function refusal(change: object): Error & { field?: string; code?: string } {
  try {
    createClient({ ...CONFIG, ...change } as ClientConfig)
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigError', code: 'config' })
    return error as Error
  }
  throw new Error('It was accepted.')
}

const CREDENTIALS = [
  ...[undefined, null, '', 5, 'canary ', ' canary', 'canary\n', '\u00a0canary'],
  ...['can ary', 'canary\u0000', 'canaryї', 'can\u007fary'],
]
const ADDRESSES = [
  ...['', 'pay.example.com', '/api', 'ftp://pay.example.com', 'http://pay.example.com', 'http://localhost.example.com'],
  ...['http://notlocalhost', 'http://127.0.0.1.example.com', 'http://10.0.0.1', 'https://user@pay.example.com'],
  ...['https://user:pass@pay.example.com', 'https://pay.example.com?x=1', 'https://pay.example.com#x'],
  ...['https://pay.example.com/api/v1', 'https://pay.example.com/api/v1/payment', Symbol('s'), 10n, 5, null, {}, []],
]

it.each<[keyof ClientConfig, unknown[]]>([
  ['baseUrl', [undefined, ...ADDRESSES]],
  ['apiUrl', ADDRESSES],
  // With a colon it would be cut in two.
  ['apiKey', [...CREDENTIALS, 'a:b']],
  ['apiSecret', CREDENTIALS],
  ['endpointsKey', CREDENTIALS],
  ['posId', [undefined, '', 'pos', '3f1c2c1e6a5c4b8e9d530a4c1c7d2b11', `${CONFIG.posId}/..`]],
  ['scheme', ['', 'two words', 'SVC\n', 'ї', 'SVC-HMAC-SHA1']],
  ['authentication', ['', 'hmac', 'PLAIN']],
  ['customerFields', ['no', true]],
  ['timeoutMs', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '30']],
  ['deadlineMs', [0, 2 ** 31]],
  ['maxRetries', [-1, 1.5, 11, '2', Number.NaN]],
  ['userAgent', ['', 'shop\r\nx: y', 'крамниця']],
  ['checkoutOrigins', ['https://a.example', ['a.example'], ['https://a.example/x'], [5], ['ftp://a.example']]],
  ['allowInsecureHttp', ['yes', 1]],
  ...(['fetch', 'signer', 'random', 'onRequest', 'onResponse', 'onRetry', 'onWarning', 'onError'] as const).map(
    (name): [keyof ClientConfig, unknown[]] => [name, ['x']],
  ),
])('%s is rejected, without repeating it', (field, wrong) => {
  for (const value of wrong) {
    const error = refusal({ [field]: value })
    expect(error.field).toBe(field)
    expect(`${error.message}${error.stack?.split('\n')[0]}`).not.toContain('canary')
  }
})

it('nothing at all is rejected with words', () => {
  for (const value of [undefined, null, 'x', 5]) {
    expect(() => createClient(value as unknown as ClientConfig)).toThrow(/must be an object|baseUrl/)
  }
})

it('a client in place of a configuration is told apart', async () => {
  const client = createClient(CONFIG)
  await expect(listAccounts(client as unknown as ClientConfig)).rejects.toMatchObject({
    code: 'config',
    field: 'config',
    message: expect.stringContaining('client.createPayment(input)'),
  })
})
