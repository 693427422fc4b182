import { describe, expect, it } from 'vitest'
import { checkWebhookAddress } from '../../../src/cli/service/doctor/webhook-address.ts'
import { checkWebhookReceiver } from '../../../src/cli/service/doctor/webhook-receiver.ts'
import { createWebhookHandler } from '../../../src/webhooks/index.ts'
import { type Around, hangingFetch } from '../support/verb.ts'

describe('a webhook address', () => {
  const lookup = async (host: string): Promise<string[]> => {
    if (host === 'shop.example.com') return ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']
    if (host === 'office.example.com') return ['93.184.215.14', '192.168.1.5']
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  }
  const check = async (url: string) =>
    Object.fromEntries((await checkWebhookAddress(url, lookup)).map(({ check, result }) => [check, result]))

  it.each([
    ['https://shop.example.com/hook', 'ok', 'ok'],
    ['https://shop.example.com:8443/hook', 'ok', 'ok'],
    ['https://shop.example.com:9000/hook', 'failed', 'ok'],
    ['http://shop.example.com/hook', 'failed', 'warning'],
  ])('%s', async (url, port, protocol) => {
    expect(await check(url)).toEqual({ 'webhook address': 'ok', 'webhook port': port, 'webhook protocol': protocol })
  })

  it('is of a name or a number that the service can reach', async () => {
    const numbers = '127.0.0.1 10.1.2.3 172.31.255.255 100.64.0.1 [::1] [fd00::1] [::ffff:10.0.0.1]'
    const hidden = `office.example.com gone.example.com localhost mac.local shop ${numbers}`
    for (const host of hidden.split(' '))
      expect([host, await check(`https://${host}/hook`)]).toMatchObject([host, { 'webhook address': 'failed' }])
    for (const host of ['172.15.0.1', '172.32.0.1', '[2606:2800:21f:cb07:6820:80da:af6b:8b2c]'])
      expect([host, await check(`https://${host}/hook`)]).toMatchObject([host, { 'webhook address': 'ok' }])
  })

  it('that is invalid is reported as invalid', async () => {
    expect(await check('shop.example.com')).toEqual({ 'webhook address': 'failed' })
  })
})

describe('a webhook receiver', () => {
  const HTML = { 'content-type': 'text/html' }
  const page =
    (status: number, text = '', headers: Record<string, string> = HTML) =>
    async () =>
      new Response(text || null, { status, headers })
  const refused = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }))
  const own = createWebhookHandler({ secrets: 'secret', onEvent() {}, onRejected() {} })
  const check = (fetch: Required<Around>['fetch']) => checkWebhookReceiver('https://shop.example.com/hook', fetch)

  it('has the time of --timeout', async () => {
    const finding = await checkWebhookReceiver('https://shop.example.com/hook', hangingFetch(), undefined, {}, 1)
    expect(finding).toMatchObject({ result: 'failed', message: expect.stringContaining('no response') })
  })

  it('of this package is recognized by its 401; the form has no Origin and follows no redirect', async () => {
    const sent: Request[] = []
    const { result, message } = await check((input, init) => {
      const request = new Request(input, init)
      sent.push(request.clone())
      return own(request)
    })
    expect([result, message]).toEqual(['ok', "responded 401 to an unsigned form, as edgetill's receiver does"])
    const [{ method, redirect, headers } = new Request('http://x')] = sent
    expect([method, redirect, headers.get('origin')]).toEqual(['POST', 'manual', null])
  })

  it.each([
    ['SvelteKit', page(403, 'Cross-site POST form submissions are forbidden', {}), 'SvelteKit or Astro', '"SvelteKit"'],
    ['another CSRF check', page(403, 'CSRF token missing', {}), 'the cross-site check of a framework', 'receivers.md'],
    ['a wrong path', page(404), 'nothing at this path', 'Compare the path'],
    ['a GET route', page(405), 'does not take POST', 'Compare the path'],
    ['a proxy', page(403, '<center>nginx</center>'), 'the proxy nginx', '35.187.74.148'],
    ['a proxy without its server', page(502, '', { server: 'openresty/nginx' }), 'the proxy nginx', '35.187.74.148'],
    ['a firewall', page(403, '', { 'cf-mitigated': 'challenge' }), "Cloudflare's firewall", '35.187.74.148'],
    ['any 403', page(403, 'no', {}), 'something before the receiver', 'SvelteKit, Astro, and a proxy'],
    [
      'a redirect',
      page(308, '', { location: 'https://w.example/h?a=b' }),
      'redirect to https://w.example/h',
      'final address',
    ],
    ['a login redirect', page(302, '', { location: '/login?next=/hook' }), 'to a login page', 'Exempt this path'],
    ['a login page', page(200, '<input type="password">'), 'asks for a login', 'Exempt this path'],
    ['basic authentication', page(401, 'Authorization Required', {}), 'asks for a login', 'Exempt this path'],
    ['a page', page(200, '<h1>Shop</h1>'), 'a page, not a receiver', 'Check the path'],
    ['a receiver that verifies nothing', page(200, 'OK', {}), 'accepts unsigned webhooks', 'verify the signature'],
    ['a body parser', page(415, '', {}), 'a body parser', 'Mount the receiver before it'],
    ['a mistake', page(500, 'Internal error', {}), 'a mistake in the receiver', 'Its log names'],
    ['a receiver that is down', page(503, '', {}), 'responded 503', 'Look at both logs'],
    ['another API', page(422, '{}', {}), 'not with 400 or 401', 'Check the path'],
    ['nothing', refused, 'no response from this machine (ECONNREFUSED)', 'running'],
  ])('is not what responds with %s', async (_, fetch, message, fix) => {
    const texts = { message: expect.stringContaining(message), fix: expect.stringContaining(fix) }
    const finding = await check(fetch)
    expect(finding).toEqual({ check: 'webhook receiver', result: 'failed', ...texts })
    // An address is shown without its query.
    expect(finding.message).not.toContain('?')
  })
})
