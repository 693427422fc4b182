import { createHash, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** A key and its certificate, in PEM. */
export interface Identity {
  key: string
  cert: string
}

const DAY = 86_400_000
const ECDSA_SHA256 = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))

/** Makes a certificate that signs itself (X.509 v3, P-256), valid for a year and for these names and addresses. */
export function selfSigned(hosts: readonly string[]): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const name = sequence(der(0x31, sequence(oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from('edgetill emulator')))))
  const since = Date.now() - DAY
  const names = hosts.map((host) => (isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, address(host))))
  const extensions = sequence(
    extension([0x55, 0x1d, 0x13], sequence(der(0x01, Buffer.from([0xff])))),
    extension([0x55, 0x1d, 0x11], sequence(...names)),
  )
  const serial = createHash('sha256').update(spki).digest().subarray(0, 8)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_SHA256,
    name,
    sequence(time(since), time(since + 366 * DAY)),
    name,
    spki,
    der(0xa3, extensions),
  )
  const signature = sign('sha256', body, privateKey)
  const cert = sequence(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: new X509Certificate(cert).toString(),
  }
}

/** One value of DER: a tag, a length, the contents. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function oid(bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}

function extension(id: number[], value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value))
}

function time(ms: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`))
}

function address(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from(host.split('.').map(Number))
  const [before = '', after] = host.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const end = groups(after ?? '')
  const start = groups(before)
  const middle = Array.from({ length: 8 - start.length - end.length }, () => '0')
  return Buffer.from(
    [...start, ...middle, ...end].flatMap((group) => {
      const value = Number.parseInt(group, 16)
      return [value >> 8, value & 0xff]
    }),
  )
}
