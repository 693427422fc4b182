import type { LoggedRequest } from '../../state/activity.ts'
import { maskNumber, TEST_CARDS } from '../../state/cards.ts'

const LEFT_OUT = /^(host|content-length|connection|accept|accept-encoding|user-agent|transfer-encoding|sec-.*)$/

/** A request as a command for a POSIX shell. The signature of the HMAC scheme is computed again. */
export function curlOf(request: LoggedRequest, baseUrl: string): string {
  const body = unmasked(request.body)
  const isSigned = /-HMAC-SHA1 /i.test(request.headers['x-api-auth'] ?? '')
  const headers = Object.entries(request.headers)
    .filter(([name]) => !LEFT_OUT.test(name))
    .map(([name, value]) => `-H ${headerText(name, value)}`)
  const parts = [
    `curl -i -X ${request.method} ${quoted(new URL(baseUrl).origin + request.path)}`,
    ...headers,
    ...(body === '' ? [] : [isSigned ? '--data-binary "$BODY"' : `--data-binary ${quoted(body)}`]),
  ]
  const command = parts.join(' \\\n  ')
  if (!isSigned) return command
  const signature = `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha1 -hmac "$EDGETILL_API_SECRET" | sed 's/^.* //')`
  return [`BODY=${quoted(body)}`, signature, command].join('\n')
}

function headerText(name: string, value: string): string {
  if (name === 'x-api-key') return '"x-api-key: $EDGETILL_ENDPOINTS_KEY"'
  if (name !== 'x-api-auth') return quoted(`${name}: ${value}`)
  const scheme = /^[\w-]*/.exec(value)?.[0] ?? ''
  const last = /-HMAC-SHA1$/i.test(scheme) ? '$SIGNATURE' : '$EDGETILL_API_SECRET'
  return `"x-api-auth: ${scheme} $EDGETILL_API_KEY:${last}"`
}

/** A test card belongs to no person: its number, and any expiry and CVV, make the command runnable. */
function unmasked(body: string): string {
  const card = TEST_CARDS.find(({ number }) => body.includes(maskNumber(number)))
  if (card === undefined) return body
  const values: Record<string, string> = { exp_month: '12', exp_year: '39', card_cvv: '123' }
  return body
    .replace(maskNumber(card.number), card.number)
    .replaceAll(/"(exp_month|exp_year)":"\*\*\*"/g, (_, name) => `"${name}":${values[name]}`)
    .replaceAll(/(exp_month|exp_year|card_cvv)("?[:=]"?)\*\*\*/g, (_, name, is) => name + is + values[name])
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
