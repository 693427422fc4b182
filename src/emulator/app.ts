import { Hono } from 'hono'
import { type Context, homeOf, pathOf } from './context.ts'
import { controlApi, hostProblem, listOperations, originProblem } from './control/api.ts'
import type { EmulatorControls } from './control/emulator-controls.ts'
import { eventStream } from './control/events.ts'
import { openApi } from './control/openapi.ts'
import { pages } from './control/pages/pages.ts'
import { handleEndpoint, type UnderWay } from './endpoint.ts'
import { Problem } from './http/problem.ts'
import type { Route } from './http/request.ts'
import { messagePage } from './pages/layout.ts'
import { cancelPayment } from './routes/cancel-payment.ts'
import { cancelRecurring } from './routes/cancel-recurring.ts'
import { capturePayment } from './routes/capture-payment.ts'
import { captureSplitPurchase } from './routes/capture-split-purchase.ts'
import { checkout } from './routes/checkout.ts'
import { createPayment } from './routes/create-payment.ts'
import { createSplitPurchase } from './routes/create-split-purchase.ts'
import { getAccount } from './routes/get-account.ts'
import { listAccounts } from './routes/list-accounts.ts'
import { listOrderOperations } from './routes/list-order-operations.ts'
import { refundPayment } from './routes/refund-payment.ts'
import { refundSplitPurchase } from './routes/refund-split-purchase.ts'
import { resendWebhook } from './routes/resend-webhook.ts'
import { voidPayment } from './routes/void-payment.ts'
import type { OperationName } from './spec/endpoints.ts'

const ROUTES: Record<OperationName, Route> = {
  'create-payment': createPayment,
  'create-split-purchase': createSplitPurchase,
  'capture-payment': capturePayment,
  'cancel-payment': cancelPayment,
  'list-accounts': listAccounts,
  'get-account': getAccount,
  'resend-webhook': resendWebhook,
  'refund-payment': refundPayment,
  'void-payment': voidPayment,
  'capture-split-purchase': captureSplitPurchase,
  'refund-split-purchase': refundSplitPurchase,
  'list-order-operations': listOrderOperations,
  'cancel-recurring': cancelRecurring,
}

type App = Hono<{ Bindings: UnderWay }>

export function createApp(context: Context, controls: EmulatorControls): App {
  const app: App = new Hono({ getPath: (request) => pathOf(context, request) })
  if (context.shop !== undefined) {
    app.use('*', async (c, next) => {
      await next()
      c.res = await atHome(context, c.res)
    })
  }
  for (const operation of Object.keys(ROUTES) as OperationName[]) {
    const { base, path } = context.rules.endpoints[operation]
    const { baseUrl, apiUrl } = context.options.credentials
    const prefix = new URL(base === 'base_url' ? baseUrl : apiUrl).pathname.replace(/\/$/, '')
    const pattern = prefix + path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.all(pattern, (c) =>
      handleEndpoint(context, operation, ROUTES[operation], c.req.raw, c.req.param() as Record<string, string>, c.env),
    )
  }
  app.all('/api/v1/checkout/:checkout_id/:page{form|3ds}', (c) =>
    checkout(context, c.req.raw, c.req.param('checkout_id'), c.req.param('page'), c.env.entry),
  )
  // Stands before the check of the host: a container is called by any name, and this response reveals nothing.
  app.get('/_emulator/health', () => Response.json({ status: 'ok' }))
  // Pages are checked like the control API: the overview shows the credentials.
  app.use('/_emulator/*', async (c, next) => hostProblem(context, c.req.raw) ?? (await next()))
  app.use('/_emulator/api/*', async (c, next) => originProblem(context, c.req.raw) ?? (await next()))
  pages(app, context, controls)
  const scope = { ...controls, context }
  for (const path of ['/_emulator/api', '/_emulator/api/']) app.get(path, () => listOperations())
  app.get('/_emulator/api/events', (c) => eventStream(context.activity, c.req.raw))
  app.get('/_emulator/openapi.json', () => Response.json(openApi()))
  app.all('/_emulator/api/:name/:subject?', (c) =>
    controlApi(scope, c.req.raw, c.req.param('name'), c.req.param('subject')),
  )
  app.notFound((c) => {
    // A mistyped address in a browser gets a page; a client of the service gets JSON.
    const isPage = !c.req.path.startsWith('/api/') && c.req.header('accept')?.includes('text/html')
    if (isPage) return messagePage(404, 'No such page', 'The overview leads to every page of the emulator.')
    return new Problem(404, 'No such path', { code: 'EMULATOR-404' }).toResponse()
  })
  // An error of a fault that breaks the connection must leave the app unchanged, and so must a bug of the emulator.
  app.onError((error) => {
    if (error instanceof Problem) return error.toResponse()
    throw error
  })
  return app
}

/** A shop's pages are made as if it were the only one. Here their addresses become the shop's. */
async function atHome(context: Context, response: Response): Promise<Response> {
  const home = homeOf(context)
  const location = response.headers.get('location')
  if (location?.startsWith('/_emulator') && !location.startsWith(home)) {
    response.headers.set('location', home + location.slice('/_emulator'.length))
  }
  if (!/^text\/(html|javascript)/.test(response.headers.get('content-type') ?? '')) return response
  const text = await response.text()
  return new Response(text.replaceAll(/((?:href|src|action)="|EventSource\(')\/_emulator/g, `$1${home}`), response)
}
