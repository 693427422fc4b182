import { describe, expect, it } from 'vitest'
import type { ClientConfig } from '../../src/index.ts'
import { call, POST } from '../support/call.ts'
import { CONFIG, rejection } from '../support/mock-fetch.ts'

describe('error bodies, whatever their shape', () => {
  const failing = async (body: string | Uint8Array<ArrayBuffer>, status = 400, config: Partial<ClientConfig> = {}) =>
    rejection(call({ ...POST, authentication: 'hmac' }, [new Response(body, { status })], config).answer)

  it.each<[string, unknown, object]>([
    [
      'message and code',
      { message: 'Bad credentials', args: { code: 'S-404' } },
      { apiMessage: 'Bad credentials', apiCode: 'S-404', violations: [] },
    ],
    ['message alone', { message: 'No' }, { apiMessage: 'No', apiCode: undefined, violations: [] }],
    [
      'violations',
      { message: 'Invalid', args: [{ field_name: 'amount', violation: 'must be positive' }] },
      { violations: [{ field_name: 'amount', violation: 'must be positive' }] },
    ],
    [
      'msg as a list',
      { args: [{ field_name: 'a', msg: ['x', 'y'] }] },
      {
        violations: [
          { field_name: 'a', violation: 'x' },
          { field_name: 'a', violation: 'y' },
        ],
      },
    ],
    ['msg as a text', { args: { msg: 'z' } }, { violations: [{ field_name: '', violation: 'z' }] }],
    [
      'msg beside a violation that is no text',
      { args: [5, false, { text: 'x' }].map((violation) => ({ violation, msg: ['z'] })) },
      { violations: Array(3).fill({ field_name: '', violation: 'z' }) },
    ],
    ['args of other types', { message: 5, args: [null, 1, 'x', []] }, { apiMessage: undefined, violations: [] }],
    ['a code that is a number', { args: { code: 5 } }, { apiCode: undefined }],
    ['null', null, { apiMessage: undefined }],
    ['an array', [1], { apiMessage: undefined }],
    ['a text', 'no', { apiMessage: undefined }],
  ])('%s', async (_name, body, expected) => {
    expect(await failing(JSON.stringify(body))).toMatchObject({
      name: 'ApiError',
      code: 'api',
      status: 400,
      ...expected,
    })
  })

  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['HTML', '<html>nginx</html>'],
    ['nothing', ''],
    ['cut off', '{"message":"Inv'],
    ['2 MB', 'x'.repeat(2_000_000)],
    ['not UTF-8', new Uint8Array([0xff, 0xfe])],
  ])('%s', async (_name, body) => {
    for (const status of [400, 401, 404, 406]) {
      expect(await failing(body, status)).toMatchObject({
        name: 'ApiError',
        code: 'api',
        status,
        apiMessage: undefined,
      })
    }
  })

  it('a 401 under the default signer names what to try; under plain or an own signer it does not', async () => {
    const hint = /authentication: "plain".*signer/
    expect((await failing('{}', 401)).message).toMatch(hint)
    expect((await failing('{}', 401, { authentication: 'plain' })).message).not.toMatch(hint)
    expect((await failing('{}', 401, { signer: () => 'x' })).message).not.toMatch(hint)
    expect((await failing('{}', 400)).message).not.toMatch(hint)
  })

  it('P-409 is explained', async () => {
    const error = await failing(JSON.stringify({ message: 'Conflict', args: { code: 'P-409' } }), 409)
    expect(error.message).toMatch(/order_id was already used/)
  })

  it('what the service echoes is redacted', async () => {
    const body = { message: `key ${CONFIG.apiKey}`, args: { code: CONFIG.endpointsKey, msg: ['4242424242424242'] } }
    const error = await failing(JSON.stringify(body))
    expect(JSON.stringify([error.message, error.apiMessage, error.apiCode, error.violations])).not.toMatch(/key-1|4242/)
  })
})
