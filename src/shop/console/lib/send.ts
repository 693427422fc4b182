import { html } from 'hono/html'
import { encode } from 'uqr'
import type { Html } from '../../pages/layout.ts'
import type { Words } from '../words/words.ts'

/** The recipient of a link, as far as it was typed. */
export interface Recipient {
  phone?: string | null | undefined
  email?: string | null | undefined
}

/** The ways to send a link: first those that lead to the phone and the address that were typed. */
export function waysToSend(
  words: Words,
  { url, says, to }: { url: string; says: string; to: Recipient },
): { name: string; to: string }[] {
  const { ways, to: naming } = words.link
  const [address, subject, both] = [url, says, `${says}\n${url}`].map(encodeURIComponent)
  const phone = to.phone?.replaceAll(/[^\d+]/g, '') ?? ''
  const email = to.email ? encodeURIComponent(to.email).replaceAll('%40', '@') : ''
  const name = (way: keyof typeof ways, whom?: string | null) => (whom ? naming(ways[way], whom) : ways[way])
  const all: [isFor: boolean, way: { name: string; to: string }][] = [
    [phone !== '', { name: name('sms', phone), to: `sms:${phone}?&body=${both}` }],
    [phone !== '', { name: name('whatsapp', phone), to: `https://wa.me/${phone.replace('+', '')}?text=${both}` }],
    [email !== '', { name: name('email', to.email), to: `mailto:${email}?subject=${subject}&body=${both}` }],
    [false, { name: name('telegram'), to: `https://t.me/share/url?url=${address}&text=${subject}` }],
    [false, { name: name('viber'), to: `viber://forward?text=${both}` }],
  ]
  return [...all.filter(([isFor]) => isFor), ...all.filter(([isFor]) => !isFor).reverse()].map(([, way]) => way)
}

/** A QR code with the quiet zone that scanners need, black on white in the dark too. */
export function qrOf(url: string, label: string): Html {
  const { data, size } = encode(url, { border: 4, ecc: 'M' })
  const runOf = (run: string) => (run.startsWith('1') ? `h${run.length}` : `m${run.length} 0`)
  const path = data.map((row, y) => `M0 ${y}.5${row.map(Number).join('').replaceAll(/0+|1+/g, runOf)}`)
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" width="240" height="240" role="img" aria-label="${label}"
 shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/>
<path stroke="#000" d="${path.join('')}"/></svg>`
}
