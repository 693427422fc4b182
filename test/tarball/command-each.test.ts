import { describe, expect, it } from 'vitest'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { ENDPOINTS } from '../../src/emulator/spec/endpoints.ts'
import { CANARIES, RUNTIMES, type Runtime, run, start } from './support/command.ts'
import {
  SERVICE_VERB_NAMES,
  SERVICE_VERBS,
  type Service,
  type ServiceVerbName,
  serveService,
  type Use,
} from './support/service-verbs.ts'

// What every verb does that talks to the service when something around it is wrong.

interface Around {
  runtime: Runtime
  name: ServiceVerbName
  service: Service
  use: Use
}

async function nowhere(): Promise<string> {
  const { origin, close } = await serveOnNode(() => new Response())
  await close()
  return origin
}

const PROOFS: Record<string, (around: Around) => Promise<void>> = {
  'keeps quiet when the reader of its output has gone, and does its work': async ({ runtime, service, use }) => {
    const ended = await run(runtime, use.words, { env: service.env, brokenPipe: true })
    expect(ended.stderr).not.toMatch(/EPIPE|\bat |Error/)
    expect(ended.code).toBe(0)
    expect(await use.isDone?.()).not.toBe(false)
  },
  'exits 3 when its output cannot be written, and says so': async ({ runtime, service, use }) => {
    const ended = await run(runtime, use.words, { env: service.env, fullDisk: true })
    expect(ended.stderr).toMatch(/^The output cannot be written \(.*\); what was begun went on all the same\.$/m)
    expect(ended.stderr).not.toMatch(/\bat /)
    expect(ended.code).toBe(3)
    expect(await use.isDone?.()).not.toBe(false)
  },
  'ends on Ctrl-C with 130, or with 3 when it may have changed something': async (around) => {
    const { runtime, name, service, use } = around
    const { endpoint } = SERVICE_VERBS[name]
    service.emulator.faults.next({ kind: 'no_response', on: endpoint })
    const running = start(runtime, [...use.words, '--verbose'], { env: service.env })
    const { verb, path } = ENDPOINTS[endpoint]
    await running.seen(`> ${verb} ${path.replace(/\{.*/, '')}`)
    running.stop('SIGINT')
    const { code, stderr } = await running.ended
    expect(code).toBe(use.isDone ? 3 : 130)
    if (use.isDone) expect(stderr).toContain('Find out with: edgetill ')
  },
  'exits 2 without its configuration': async ({ runtime, use }) => {
    const { code, stdout, stderr } = await run(runtime, use.words, { env: {} })
    expect(stderr).toContain('Missing configuration: EDGETILL_BASE_URL, EDGETILL_POS_ID, EDGETILL_API_KEY')
    expect([code, stdout]).toEqual([2, ''])
  },
  'exits 2 for an option that it does not have': async ({ runtime, service, use }) => {
    const { code, stdout, stderr } = await run(runtime, [...use.words, '--jsn'], { env: service.env })
    expect(stderr).toContain("unknown option '--jsn'\n(Did you mean --json?)")
    expect([code, stdout]).toEqual([2, ''])
  },
  'exits 1 when the service cannot be reached': async ({ runtime, service, use }) => {
    const origin = await nowhere()
    const env = { ...service.env, EDGETILL_BASE_URL: origin, EDGETILL_API_URL: origin }
    const { code, stdout, stderr } = await run(runtime, use.words, { env })
    expect(stderr).toMatch(/could not reach the service.*\nCause: .*Check EDGETILL_BASE_URL/)
    expect([code, stdout]).toEqual([1, ''])
    expect(await use.isDone?.()).not.toBe(true)
  },
  'exits 2 where there is no terminal to ask on': async ({ runtime, name, service, use }) => {
    const words = use.words.filter((word) => word !== '--yes')
    const { code, stderr } = await run(runtime, words, { env: service.env })
    // What only reads does not ask, and a hosted payment moves no money.
    if (words.length === use.words.length) return expect([name, code]).toEqual([name, 0])
    expect(stderr).toContain('There is no terminal to ask on, so nothing was sent. Add --yes')
    expect(code).toBe(2)
    expect(await use.isDone?.()).toBe(false)
  },
}

const ALL = SERVICE_VERB_NAMES.flatMap((name) => Object.keys(PROOFS).map((title) => ({ name, title })))

describe.each(RUNTIMES)('on %s', (runtime) => {
  it.concurrent.each(ALL)('$name $title', async ({ name, title }) => {
    const service = await serveService()
    const use: Use = await SERVICE_VERBS[name].prepare(service)
    await PROOFS[title]?.({ runtime, name, service, use })
    await service.close()
  })

  it('link, doctor and the question whether to send end on Ctrl-C with 130', async () => {
    const service = await serveService()
    for (const words of [['link', 'A-1', '--amount', '5', '--currency', 'UAH'], ['doctor']]) {
      let asked = (): void => {}
      const wasAsked = new Promise<void>((resolve) => {
        asked = resolve
      })
      const hanging = await serveOnNode(() => {
        asked()
        return new Promise<Response>(() => {})
      })
      const addresses = { EDGETILL_BASE_URL: hanging.origin, EDGETILL_WORKER_URL: hanging.origin }
      const running = start(runtime, words, { env: { ...service.env, ...CANARIES, ...addresses } })
      await wasAsked
      running.stop('SIGINT')
      expect(await running.ended).toEqual({ code: 130, stdout: '', stderr: '' })
      await hanging.close()
    }
    const { words, isDone }: Use = await SERVICE_VERBS.capture.prepare(service)
    const unsure = words.filter((word) => word !== '--yes')
    const running = start(runtime, unsure, { env: service.env, terminal: true, stdin: 'open' })
    await running.seen('[y/N] ')
    running.type('\u0003')
    const { code, stdout } = await running.ended
    expect(stdout).toMatch(/\[y\/N\] .*\nNothing was sent\.\r?\n$/s)
    expect([code, await isDone?.()]).toEqual([130, false])
    await service.close()
  })

  it('link and doctor keep quiet when the reader of their output has gone', async () => {
    const service = await serveService()
    const worker = await serveOnNode(() => Response.json({ url: 'https://pay.example.com/checkout/x', expires_at: '' }))
    const env = { ...service.env, ...CANARIES, EDGETILL_WORKER_URL: worker.origin }
    const each = [['link', 'A-1', '--amount', '5', '--currency', 'UAH'], ['doctor']]
    for (const words of each) {
      const { code, stderr } = await run(runtime, words, { env, brokenPipe: true })
      expect([code, stderr.replace(/^order_id A-1.*\n/, '')]).toEqual([0, ''])
    }
    await service.close()
    await worker.close()
  })
})
