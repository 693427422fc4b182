import { join } from 'node:path'
import ts from 'typescript'
import { afterEach, describe, expect, it } from 'vitest'
import { checkWebhookReceiver } from '../../src/cli/service/doctor/webhook-receiver.ts'
import { testEvent } from '../../src/testing/index.ts'
import { filesOf, Project } from './project.ts'

// guides/receivers.md against what each framework builds: without a secret at build time, with one when it runs.

const STORE = `export const onEvent = (event: { kind: string }) => console.log('stored', event.kind)\n`
const PAGE = 'export default function Page() { return null }\n'
const LAYOUT = 'export default function Layout({ children }) { return <html><body>{children}</body></html> }\n'
const CHECK = filesOf('receivers', 'The check that both recipes keep')
const NEXT = ['node_modules:next/dist/bin/next', 'start'] as const
/** As create-next-app writes it: an import may not end in `.ts`. */
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    noEmit: true,
    strict: true,
    jsx: 'react-jsx',
    moduleResolution: 'bundler',
    module: 'esnext',
    skipLibCheck: true,
  },
})

let project: Project | undefined
afterEach(() => project?.close())

const post = (url: string, secret = 'late-secret') =>
  fetch(testEvent('purchase', {}, { secret }).request(url)).then(({ status }) => status)

/** A genuine webhook, a forgery, and what `edgetill doctor --webhook-url` says. */
async function expectReceiver(url: string): Promise<void> {
  expect(await post(url)).toBe(200)
  expect(await post(url, 'forged')).toBe(401)
  expect((await checkWebhookReceiver(url)).result).toBe('ok')
}

/** A form of the shop: from its own page it arrives, from another site it does not. */
async function expectForms(origin: string, own: number): Promise<void> {
  const submit = (from: string) =>
    fetch(`${origin}/cart`, { method: 'POST', headers: { origin: from }, body: new URLSearchParams({ n: '1' }) })
  expect((await submit('https://evil.example')).status).toBe(403)
  expect((await submit(origin)).status).toBe(own)
}

describe('Next', () => {
  it('receives by the App Router; next build needs no secret', async () => {
    project = new Project('next-app', {
      ...filesOf('receivers', 'Next, App Router'),
      'app/webhooks/store.ts': STORE,
      'app/layout.jsx': LAYOUT,
      'app/page.jsx': PAGE,
      'tsconfig.json': TSCONFIG,
    })
    await project.run('next/dist/bin/next', 'build')
    await expectReceiver(`${await project.start(...NEXT)}/webhooks`)
  })

  it.each([true, false])('receives by the Pages Router with bodyParser: %s', async (bodyParser) => {
    const { 'pages/api/webhooks.ts': route = '' } = filesOf('receivers', 'Next, Pages Router')
    project = new Project('next-pages', {
      'pages/api/webhooks.ts': `${route}export const config = { api: { bodyParser: ${bodyParser} } }\n`,
      'pages/api/store.ts': `${STORE}export default () => {}\n`,
      'pages/index.jsx': PAGE,
      'tsconfig.json': TSCONFIG,
    })
    await project.run('next/dist/bin/next', 'build')
    await expectReceiver(`${await project.start(...NEXT)}/api/webhooks`)
  })
})

describe('SvelteKit', () => {
  const FORM = { 'src/routes/cart/+server.ts': "export const POST = () => new Response('ok')\n" }
  const APP = '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>'
  const files = filesOf('receivers', 'SvelteKit')
  const base = {
    ...files,
    ...FORM,
    'src/app.html': APP,
    'src/routes/webhooks/store.ts': STORE,
    'src/routes/+page.svelte': '',
    ...CHECK,
  }
  const build = async (changes: Record<string, string>) => {
    project = new Project('sveltekit', { ...base, ...changes })
    await project.run('vite/bin/vite.js', 'build')
    return await project.start('build/index.js')
  }

  it('rejects every webhook as it comes, which doctor names', async () => {
    const config = files['vite.config.js']?.replace(/, csrf: .*? \}(?= \}\))/, '') ?? ''
    expect(config).not.toContain('csrf')
    const url = `${await build({ 'vite.config.js': config, 'src/hooks.server.js': '' })}/webhooks`
    expect(await post(url)).toBe(403)
    expect(await checkWebhookReceiver(url)).toMatchObject({
      result: 'failed',
      fix: expect.stringContaining('"SvelteKit"'),
    })
  })

  it('receives with the recipe, and still rejects forms of other sites', async () => {
    const origin = await build({})
    await expectReceiver(`${origin}/webhooks`)
    await expectForms(origin, 200)
  })
})

describe('Astro', () => {
  const files = filesOf('receivers', 'Astro')
  const base = {
    ...files,
    ...CHECK,
    'src/store.ts': STORE,
    'src/pages/index.astro': '<p>Shop</p>\n',
    'src/pages/cart.ts': "export const prerender = false\nexport const POST = () => new Response('ok')\n",
  }
  const build = async (changes: Record<string, string>) => {
    project = new Project('astro', { ...base, ...changes })
    await project.run('astro/bin/astro.mjs', 'build')
    return await project.start('dist/server/entry.mjs')
  }

  it('rejects every webhook as it comes, which doctor names', async () => {
    const config = files['astro.config.mjs']?.replace(/, security: .*? \}(?= \}\))/, '') ?? ''
    expect(config).not.toContain('security')
    const url = `${await build({ 'astro.config.mjs': config, 'src/middleware.js': 'export const onRequest = (_, next) => next()\n' })}/webhooks`
    expect(await post(url)).toBe(403)
    expect(await checkWebhookReceiver(url)).toMatchObject({ result: 'failed', fix: expect.stringContaining('"Astro"') })
  })

  it('receives with the recipe, and still rejects forms of other sites', async () => {
    const origin = await build({})
    await expectReceiver(`${origin}/webhooks`)
    await expectForms(origin, 200)
  })
})

it.each([{}, { bodyParser: false }])('Nest receives with %j', async (options) => {
  const { 'src/webhooks.controller.ts': controller = '' } = filesOf('receivers', 'Nest')
  const { outputText } = ts.transpileModule(controller, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  })
  project = new Project('nest', {
    'webhooks.controller.js': outputText,
    'store.ts': STORE,
    'main.js': `import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { WebhooksController } from './webhooks.controller.js'
class Shop {}
Module({ controllers: [WebhooksController] })(Shop)
const app = await NestFactory.create(Shop, ${JSON.stringify({ ...options, logger: false })})
await app.listen(process.env.PORT)\n`,
  })
  await expectReceiver(`${await project.start('main.js')}/webhooks`)
})

it.each(['', "import bodyParser from 'koa-bodyparser'\napp.use(bodyParser())"])('Koa receives %j', async (parser) => {
  const imports = parser.split('\n')
  project = new Project('koa', {
    ...filesOf('receivers', 'Koa'),
    'store.ts': STORE,
    'main.js': `import Koa from 'koa'
${imports[0]}
import { webhooks } from './server.js'
const app = new Koa()
${imports[1] ?? ''}
app.use(webhooks)
app.listen(process.env.PORT)\n`,
  })
  await expectReceiver(`${await project.start(join(project.folder, 'main.js'))}/webhooks`)
})

it.each(['http', 'rest'])('AWS Lambda receives what API Gateway delivers as Base64: %s', async (api) => {
  project = new Project('lambda', {
    ...filesOf('receivers', 'AWS Lambda'),
    'store.ts': STORE,
    'main.js': `import { createServer } from 'node:http'
import { handler } from './handler.ts'
createServer(async (request, response) => {
  const chunks = await request.toArray()
  const body = Buffer.concat(chunks).toString('base64')
  const { method: httpMethod, headers } = request
  const verb = '${api}' === 'http' ? { requestContext: { http: { method: httpMethod } } } : { httpMethod, requestContext: {} }
  const answer = await handler({ body, headers, isBase64Encoded: true, ...verb })
  response.writeHead(answer.statusCode, answer.headers).end(answer.body)
}).listen(process.env.PORT, 'localhost')\n`,
  })
  await expectReceiver(`${await project.start('main.js')}/webhooks`)
})
