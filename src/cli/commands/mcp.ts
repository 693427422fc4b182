import { emulatorTools, proveTool, shopTools, type Tool, verifyTool } from '../service/mcp-tools.ts'
import { SECRET_OPTIONS } from '../service/secrets.ts'
import { workerOf, workerOptions } from '../service/worker.ts'
import { readVariables } from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import { webAddress } from '../terminal/option-values.ts'
import { defaulting, defineVerb, group, option, type Use, type Verb } from '../terminal/verb.ts'

const SDK = '@modelcontextprotocol/sdk'
const EMULATOR = 'http://127.0.0.1:4010'
const OPTIONS = {
  ...group('Options:', {
    emulator: defaulting(option('<URL>', "the emulator's address", webAddress), EMULATOR, EMULATOR),
    ...workerOptions("the shop's origin (or EDGETILL_WORKER_URL); without it, no shop can be read"),
  }),
  ...SECRET_OPTIONS,
}

export const verb: Verb = defineVerb({
  name: 'mcp',
  heading: 'Checks',
  summary: 'serve tools for an assistant: emulator, prove, verify, reading a shop',
  description:
    "Serves the Model Context Protocol on stdin and stdout: an emulator's control operations, prove and verify.\n" +
    "With a token of PEOPLE whose role is view, it reads a shop. No tool moves money. Needs the protocol's own SDK.",
  examples: ['mcp --env-file .env', 'mcp --worker-url https://pay.shop.example.com --token-file view.token'],
  options: OPTIONS,
  note: `Install the SDK beside edgetill: npm install ${SDK}.`,
  run: serve,
})

async function serve(use: Use<typeof OPTIONS, unknown>): Promise<void> {
  const { Server, StdioServerTransport, types } = await loadSdk()
  const tools = new Map((await toolsOf(use)).map((tool) => [tool.name, tool]))
  const server = new Server({ name: 'edgetill', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ run: _, ...tool }) => tool),
  }))
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const { name, arguments: input = {}, _meta: { progressToken } = {} } = params
    const progress = (done: number, total: number): void => {
      if (progressToken === undefined) return
      const params = { progressToken, progress: done, total }
      sendNotification({ method: 'notifications/progress', params }).catch(() => {})
    }
    try {
      const tool = tools.get(name)
      if (!tool) throw new UsageError(`There is no tool ${name}.`)
      const result = await tool.run(input, signal, progress)
      return { content: [{ type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result) }] }
    } catch (error) {
      return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
    }
  })
  const stopped = Promise.race([use.stopped(), new Promise((resolve) => process.stdin.once('end', resolve))])
  await server.connect(new StdioServerTransport())
  await stopped
  await server.close()
}

/** The shop's tools exist if its address is given. */
async function toolsOf(use: Use<typeof OPTIONS, unknown>): Promise<Tool[]> {
  const { flags, environment } = use
  const { EDGETILL_WORKER_URL: address } = await readVariables(flags.envFile, environment)
  const shop = (flags.workerUrl ?? address) ? await shopTools(await workerOf(flags, use), use) : []
  return [...emulatorTools(flags.emulator, use), proveTool(flags), verifyTool(flags), ...shop]
}

/** By a computed name: no bundler follows it, and a bundled command reports that the SDK is missing. */
const load = (file: string): Promise<unknown> => import(`${SDK}/${file}`)

async function loadSdk() {
  try {
    const [{ Server }, { StdioServerTransport }, types] = (await Promise.all([
      load('server/index.js'),
      load('server/stdio.js'),
      load('types.js'),
    ])) as [
      typeof import('@modelcontextprotocol/sdk/server/index.js'),
      typeof import('@modelcontextprotocol/sdk/server/stdio.js'),
      typeof import('@modelcontextprotocol/sdk/types.js'),
    ]
    return { Server, StdioServerTransport, types }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UsageError(`edgetill mcp needs the protocol's own SDK: npm install ${SDK}`)
  }
}
