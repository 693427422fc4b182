// One call for each way in which a call can fail.
import { createClient } from '../../../src/index.ts'
import { config, outcome, payment } from './merchant.ts'

export async function main({ baseUrl, refusing }: { baseUrl: string; refusing: string }): Promise<unknown> {
  const client = createClient(config(baseUrl))
  const lost = createClient(config(refusing))
  const aborted = AbortSignal.abort()
  const post = (order: string, options = {}) => outcome(client.createPayment(payment(order), options))
  return {
    config: await outcome((async () => createClient({ ...config(baseUrl), apiSecret: ' padded ' }))()),
    input: await post(''),
    refusedPost: await outcome(lost.createPayment(payment('refused'))),
    refusedGet: await outcome(lost.listAccounts()),
    abortedBefore: await post('aborted', { signal: aborted }),
    timeoutPost: await post('silence', { timeoutMs: 300 }),
    html500: await post('html500'),
    html200: await post('html200'),
    cutOff: await post('cutOff'),
    json400: await post('json400'),
    droppedGet: await outcome(client.listAccounts()),
    environment: {
      process: typeof (globalThis as { process?: unknown }).process,
      Buffer: typeof (globalThis as { Buffer?: unknown }).Buffer,
    },
  }
}
