import process from 'node:process'
import express from 'express'
import { shop, webhooks } from './shop.ts'

/** A route of shop.ts, which takes a Request, for Express. */
function route(handle: (request: Request) => Promise<Response>): express.RequestHandler {
  return async ({ method, originalUrl, headers, body }, response) => {
    const init = { method, headers: headers as Record<string, string>, ...(method === 'POST' && { body }) }
    const answer = await handle(new Request(new URL(originalUrl, 'http://shop'), init))
    response.status(answer.status).setHeaders(answer.headers)
    response.end(new Uint8Array(await answer.arrayBuffer()))
  }
}

const app = express()
// Before any body parser of yours: a webhook's signature is of the bytes as they came.
const raw = express.raw({ type: () => true })
app.get('/', (_, response) => response.redirect('/shop'))
app.use('/shop', raw, route(shop))
app.post('/webhooks', raw, route(webhooks))
const port = Number(process.env.PORT ?? 3000)
app.listen(port, (error) => console.log(error ?? `http://127.0.0.1:${port}/shop`))
