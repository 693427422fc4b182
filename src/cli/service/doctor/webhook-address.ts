import { BlockList, isIP } from 'node:net'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'

export type Lookup = (host: string) => Promise<string[]>

const CHECK = 'webhook address'

export const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Whether the service can reach a webhook address: public, on a port that it calls, and over https. */
export async function checkWebhookAddress(text: string | undefined, lookup: Lookup): Promise<Finding[]> {
  if (text === undefined) return [skipped(CHECK, 'not checked: pass --webhook-url URL')]
  if (!isWebAddress(text)) {
    return [failed(CHECK, 'it is not an http(s) address', 'Write it as https://shop.example.com/webhooks.')]
  }
  const url = new URL(text)
  const isSafe = url.protocol === 'https:'
  const port = url.port || (isSafe ? '443' : '80')
  const fix = 'Use one of these, or ask its support.'
  return [
    await host(url.hostname.replace(/^\[|\]$/g, ''), lookup),
    /^(443|8443)$/.test(port)
      ? ok('webhook port', `the service calls ${port}`)
      : failed('webhook port', `the service calls 443 and 8443 only, not ${port}`, fix),
    isSafe
      ? ok('webhook protocol', 'https')
      : warning('webhook protocol', "over http, others can read the customer's data", 'Use https.'),
  ]
}

const TUNNEL = 'Use a public address: your deployed worker, or a tunnel to this machine.'

async function host(name: string, lookup: Lookup): Promise<Finding> {
  if (isIP(name) !== 0) return judged(name, [name])
  if (!name.includes('.') || /\.(localhost|local|internal|test|example|invalid|home\.arpa|lan)$/i.test(name)) {
    return failed(CHECK, `${name} is not a public name`, TUNNEL)
  }
  try {
    return judged(name, await lookup(name))
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    return failed(CHECK, `${name} cannot be resolved: ${code ?? message}`, 'Check the name and its DNS records.')
  }
}

function judged(name: string, addresses: string[]): Finding {
  const reserved = addresses.filter(isReserved)
  if (reserved.length === 0) return ok(CHECK, `${name} is public`)
  return failed(CHECK, `${name} is not public${reserved[0] === name ? '' : ` (${reserved.join(', ')})`}`, TUNNEL)
}

/** An IPv4 address inside an IPv6 address is not an address of a server. */
const isReserved = (address: string): boolean =>
  /^::ffff:/i.test(address) || RESERVED.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Networks that the Internet does not route (RFC 6890 and the registries of IANA). */
const RESERVED = new BlockList()
for (const network of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  ...['::/127', '64:ff9b:1::/48', '100::/64', '2001:db8::/32', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
]) {
  const [address = '', bits] = network.split('/')
  RESERVED.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4')
}
