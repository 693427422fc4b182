import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { freePort } from '../node/support/free-port.ts'
import { root } from '../tarball/support/pack.ts'
import { filesOf, Project } from './project.ts'

// guides/testing.md, "In a browser", and guides/commonjs.md, "Jest", for a test in TypeScript. test/tarball/commonjs.test.ts runs it for JavaScript.

const guide = readFileSync(join(root, 'guides/commonjs.md'), 'utf8')
const [babel = '', tsJest = ''] = [...guide.matchAll(/^\/\/ jest\.config\.cjs.*\n([\s\S]*?)^```/gm)].map(
  ([, code = '']) => code,
)
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const TEST = /^```ts\n(import \{ expect, test \} from 'vitest'\n[\s\S]*?)^```/m.exec(readme)?.[1] ?? ''

let project: Project | undefined
afterEach(() => project?.close())

it.each([
  [
    'Babel',
    babel.replace("[['@babel/preset-env', { targets: { node: 'current' } }]]", (all) =>
      all.replace(/\]$/, ", '@babel/preset-typescript']"),
    ),
  ],
  ['ts-jest', tsJest],
])('Jest with TypeScript runs the test of the README by %s', async (_, config) => {
  project = new Project('jest', {
    'package.json': '{ "private": true }',
    'jest.config.cjs': config,
    'tsconfig.json':
      '{ "compilerOptions": { "module": "nodenext", "isolatedModules": true, "target": "es2022", "types": ["jest", "node"] } }',
    'checkout.test.ts': TEST.replace(/^import .*vitest'\n/, ''),
  })
  expect(await project.run('jest/bin/jest.js', '--ci', '--no-cache', '--rootDir', '.')).toContain('1 passed')
})

const SHOP = `import { createServer } from 'node:http'
import { createClient, newOrderId } from 'edgetill'
import { createEmulator } from 'edgetill/emulator'
const client = createClient(createEmulator({ origin: 'http://127.0.0.1:4010' }).credentials)
createServer(async ({ method, url }, response) => {
  if (method !== 'POST') return response.setHeader('content-type', 'text/html').end('<form method="post"><button>Pay</button></form>' + url)
  const { url: location } = await client.createPayment({
    mode: 'hosted', method: 'purchase', amount: 100.5, currency: 'UAH', description: 'Two mugs', order_id: newOrderId(),
    order_3ds_bypass: 'supported', result_url: 'http://127.0.0.1:3000/thanks',
  })
  response.writeHead(303, { location }).end()
}).listen(3000, '127.0.0.1')
`

it('Playwright pays at a shop, with the emulator served beside it', async () => {
  const [emulator, shop] = [await freePort(), await freePort()]
  const browser =
    "use: { launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] } },"
  const moved = Object.entries({ ...filesOf('testing', 'In a browser, with Playwright'), 'shop.ts': SHOP }).map(
    ([name, text]) => [name, text.replaceAll('4010', `${emulator}`).replaceAll('3000', `${shop}`)],
  )
  const files = Object.fromEntries(moved) as Record<string, string>
  const config = (files['playwright.config.ts'] ?? '')
    .replace('npx edgetill', 'node node_modules/edgetill/dist/cli.js')
    .replace('defineConfig({', `$& ${browser}`)
  project = new Project('playwright', { ...files, 'playwright.config.ts': config })
  expect(await project.run('@playwright/test/cli.js', 'test', '--reporter', 'line')).toContain('1 passed')
})
