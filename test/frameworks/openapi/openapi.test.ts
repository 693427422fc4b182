import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openApi } from '../../../scripts/openapi.ts'
import type { Asked, Send, sendBy } from '../../node/support/api-client.ts'
import { playApi } from '../../node/support/play-api.ts'
import { ORIGIN } from '../../worker/support/world.ts'
import { Project } from '../project.ts'

// The OpenAPI document as other people's tools read it.

const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

let project: Project
let file: string
beforeAll(async () => {
  const files = { 'ruleset.json': '{ "extends": ["spectral:oas"] }' }
  project = new Project('openapi', files, import.meta.dirname, QUIET)
  file = join(project.folder, 'shop-openapi.json')
  writeFileSync(file, JSON.stringify(openApi(), null, 2))
  await project.run('.bin/openapi-ts', '-i', file, '-o', 'hey', '-c', '@hey-api/client-fetch')
  await project.run('.bin/openapi-typescript', file, '-o', 'api.ts')
})
afterAll(() => project?.close())

/** A package of this folder, whose types the checkout does not have. */
const load = (name: string) => import(name)

it.each([
  ['redocly', (file: string) => project.run('.bin/redocly', 'lint', '--extends', 'recommended', file)],
  ['spectral', (file: string) => project.run('.bin/spectral', 'lint', '-r', 'ruleset.json', '-F', 'hint', file)],
  ['swagger-parser', async (file: string) => String(await (await load('@apidevtools/swagger-parser')).validate(file))],
])('%s finds no problem in it, and one where there is one', async (_, lint) => {
  expect(await lint(file)).not.toMatch(/warning/i)
  const broken = join(project.folder, 'broken.json')
  writeFileSync(broken, readFileSync(file, 'utf8').replace('"title": "The shop’s API",', ''))
  await expect(lint(broken)).rejects.toThrow()
})

type Options = { baseUrl: string; fetch: (request: Request) => Promise<Response> }
type Call = (asked: Asked, options: Options) => Promise<unknown>

/** A generated client as the sender of requests. */
const through =
  (call: Call) =>
  (fetch: Parameters<typeof sendBy>[0]): Send =>
  async (asked) => {
    const responses: Response[] = []
    await call(asked, {
      baseUrl: ORIGIN,
      async fetch(request) {
        const { pathname, search } = new URL(request.url)
        const [headers, body] = [Object.fromEntries(request.headers), await request.text()]
        const response = await fetch(pathname + search, { method: request.method, headers, ...(body && { body }) })
        responses.push(response.clone())
        return response
      },
    })
    const [response] = responses
    if (!response) throw new Error(`${asked.id} was not sent.`)
    return response
  }

/** The options of a call: what has no value is left out. */
const given = (parts: object) =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => part && Object.keys(part).length > 0))
const forHey = ({ values, body }: Asked) =>
  given({ path: values.path, query: values.query, headers: values.header, body })
const forFetch = ({ values, body }: Asked) => given({ params: given(values), body })

const hey: Call = async (asked, options) =>
  (await load(join(project.folder, 'hey/index.ts')))[asked.id]({ ...forHey(asked), ...options })
const openapiFetch: Call = async (asked, options) =>
  (await load('openapi-fetch')).default()[asked.method.toUpperCase()](asked.path, { ...forFetch(asked), ...options })

it.each([
  ['hey-api’s', hey],
  ['openapi-typescript’s', openapiFetch],
])('%s client calls every operation, rightly and wrongly, as its types say', async (_, call) => {
  const { right, wrong } = await playApi(through(call))
  const program = (asked: Asked) =>
    call === hey
      ? `sdk.${asked.id}(${JSON.stringify(forHey(asked))})`
      : `client.${asked.method.toUpperCase()}('${asked.path}', ${JSON.stringify(forFetch(asked))})`
  const lines = [
    ...[
      "import createClient from 'openapi-fetch'",
      "import type { paths } from './api'",
      "import * as sdk from './hey'",
    ],
    ...['export const client = createClient<paths>()', 'export const calls = [sdk, '],
    ...right.map((asked) => `() => ${program(asked)},`),
    ...wrong.flatMap((asked) => ['// @ts-expect-error', `() => ${program(asked)},`]),
  ]
  writeFileSync(join(project.folder, 'calls.ts'), `${lines.join('\n')}]`)
  const words = '--noEmit --strict --module esnext --moduleResolution bundler --target es2022 --lib es2023,dom'
  const compiled = project.run('.bin/tsc', ...words.split(' '), '--types', 'node', '--skipLibCheck', 'calls.ts')
  expect(await compiled.catch(({ stdout }) => stdout)).toBe('')
})
