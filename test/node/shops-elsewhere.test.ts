import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { prove, reportText } from '../../src/testing/prove/index.ts'
import { Document } from './support/document.ts'
import { serveNewEmulator, temporaryFolder } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { startCommand } from './support/process.ts'
import { against } from './support/verb.ts'

// The receivers and refund buttons of guides/other-languages.md in PHP and Python, as they stand, attacked by `prove`.
const guide = new Document('guides/other-languages.md')
const STAFF_TOKEN = 'only the staff has it'

/** Starts the shop of a section, and resolves when it responds. */
async function open(title: string, language: string, command: (file: string, port: number) => [string, ...string[]]) {
  const folder = temporaryFolder()
  const { emulator, origin: service } = await serveNewEmulator()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const [, code = ''] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide.section(title)) ?? []
  const file = join(folder, `shop.${language === 'php' ? 'php' : 'py'}`)
  writeFileSync(file, code)
  const settings = { ...against(emulator).environment, EDGETILL_BASE_URL: service, PHP_CLI_SERVER_WORKERS: '4' }
  const start = (STAFF_TOKEN: string, at: number, database: string) => {
    const [program, ...words] = command(file, at)
    const env = { ...settings, STAFF_TOKEN, PORT: String(at), DATABASE: join(folder, database) }
    return startCommand(program, words, { cwd: folder, env: { ...env, SHOP_ORIGIN: `http://127.0.0.1:${at}` } })
  }
  const ready = async (at: number) => {
    while (!(await fetch(`http://127.0.0.1:${at}/orders/none`).catch(() => undefined)));
  }
  start(STAFF_TOKEN, port, 'shop.db')
  await ready(port)
  return { origin, service, start, ready }
}

it.each<[string, string, (file: string, port: number) => [string, ...string[]]]>([
  ['A shop in PHP: receiver and refund button', 'php', (file, port) => ['php', '-q', '-S', `127.0.0.1:${port}`, file]],
  ['A shop in Python', 'python', (file) => ['python3', file]],
])(
  '%s: prove finds nothing, and a stranger refunds nothing',
  async (title, language, command) => {
    const { origin, service, start, ready } = await open(title, language, command)
    const orders = `${origin}/orders`
    const headers = { authorization: `Bearer ${STAFF_TOKEN}` }
    const addresses = { url: `${origin}/webhooks`, create: orders, state: `${orders}/{order_id}` }
    const report = await prove({ ...addresses, refund: `${orders}/{order_id}/refund`, headers, emulator: service })
    expect(report.findings, reportText(report)).toEqual([])
    expect(reportText(report)).toMatch(/nothing found/)

    const press = async (at: string, authorization = '') => {
      const body = new URLSearchParams({ key: 'k', amount: '1' })
      return (await fetch(`${at}/orders/A-1/refund`, { method: 'POST', body, headers: { authorization } })).status
    }
    for (const wrong of ['', 'Bearer ', 'Bearer undefined']) expect(await press(origin, wrong)).toBe(401)
    const port = await freePort()
    start('', port, 'other.db')
    await ready(port)
    expect(await press(`http://127.0.0.1:${port}`, 'Bearer ')).toBe(503)
  },
  240_000,
)
