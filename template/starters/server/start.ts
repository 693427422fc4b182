// `npm start`: your shop beside an emulator of the service, on this machine. You deploy only server.ts.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const { EDGETILL_ADMIN_TOKEN: token, EDGETILL_BASE_URL: service = '', PORT = '3000' } = process.env
const program = fileURLToPath(new URL('cli.js', import.meta.resolve('edgetill')))
const words = ['emulator', '--port', new URL(service).port, '--state', '.emulator.json', '--quiet', '--json']
const emulator = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
emulator.once('exit', (code) => code && process.exit(code))
process.once('exit', () => emulator.kill())
await once(emulator.stdout, 'data')
await import('./server.ts')

const origin = `http://127.0.0.1:${PORT}`
const order = {
  ...{ mode: 'hosted', method: 'purchase', order_id: `mugs-${Date.now()}`, amount: 100.5, currency: 'UAH' },
  ...{ description: 'Two mugs', order_3ds_bypass: 'supported' },
}
const made = await fetch(`${origin}/api/links`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}` },
  body: JSON.stringify({ order }),
})
const { url, detail } = (await made.json()) as { url?: string; detail?: string }
console.log(`
A link to pay:  ${url ?? detail}
                with the card 4111 1111 1111 1111, any future month and any three digits
The console:    ${origin}/console
                sign in with ${token}
Ctrl-C stops both.
`)
