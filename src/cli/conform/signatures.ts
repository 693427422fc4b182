import type { Signer } from '../../config.ts'
import { hmacSha1Hex } from '../../lib/hmac-sha1.ts'
import { sha1Base64url } from '../../lib/sha1.ts'
import { authenticated } from './answer.ts'
import { INVALID } from './inputs.ts'
import type { Project } from './project.ts'

const base64 = (hex: string): string =>
  btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16))))
const url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_')

/** Other likely forms of the signature, in words. */
type Form = (secret: string, request: Parameters<Signer>[0]) => ReturnType<Signer>
const FORMS: readonly (readonly [says: string, sign: Form])[] = [
  ['upper-case hex', async (secret, { body }) => (await hmacSha1Hex(secret, body)).toUpperCase()],
  ['base64', async (secret, { body }) => base64(await hmacSha1Hex(secret, body))],
  ['base64url', async (secret, { body }) => url(base64(await hmacSha1Hex(secret, body)))],
  ['hex over path and body', (secret, { path, body }) => hmacSha1Hex(secret, path + body)],
  ['base64url of SHA-1 over secret, body, secret, as in webhooks', (key, { body }) => sha1Base64url(key + body + key)],
  ['hex with a final line break in the body', (secret, { body }) => hmacSha1Hex(secret, `${body}\n`)],
]

/** The accepted form if the assumed form is rejected; undefined for none. */
export async function acceptedForm({ ask, clientWith, secret }: Project): Promise<string | undefined> {
  for (const [says, sign] of FORMS) {
    const client = clientWith({ authentication: 'per-endpoint', signer: (request) => sign(secret, request) })
    const answer = await ask((options) => client.rawRequest({ ...INVALID, authentication: 'hmac' }, options))
    if (answer.verdict === 'rejected' && authenticated(answer).result === 'holds' && answer.status !== 404) return says
  }
  return undefined
}
