import type { Emulator } from '../../../src/emulator/index.ts'
import { Storm, withLimit } from '../../worker/support/storm.ts'
import { StoppableWorkerd } from './stoppable-workerd.ts'

/** With real Durable Objects and a real KV in workerd, which is killed and started again over the same files. */
export class StormOverFiles extends Storm {
  readonly emulator: Emulator
  private readonly workerd: StoppableWorkerd
  private readonly orders = new Set<string>()

  static async start(seed: number): Promise<StormOverFiles> {
    let storm: StormOverFiles | undefined
    const shopFails = () => storm?.shopFails() ?? false
    storm = new StormOverFiles(seed, await StoppableWorkerd.start({ seed, shopFails, atService: withLimit }))
    return storm
  }

  private constructor(seed: number, workerd: StoppableWorkerd) {
    super(seed)
    this.workerd = workerd
    this.emulator = workerd.emulator
    this.begin()
  }

  now(): number {
    return this.workerd.now()
  }

  wasHandled(operation: string): boolean {
    return this.workerd.told.has(operation)
  }

  async request(request: Request): Promise<Response> {
    const { method, url, headers } = request
    const body = method === 'GET' ? null : await request.text()
    return this.workerd.fetch(url, { method, headers: [...headers], body })
  }

  override link(order: { order_id: string; method: 'purchase' | 'auth' }): Promise<string> {
    this.orders.add(order.order_id)
    return super.link(order)
  }

  async round(work: () => Promise<unknown>, ms: number): Promise<void> {
    const { workerd } = this
    const unlessStopped = (error: unknown): void => {
      if (!workerd.wasStopped) throw error
    }
    // What earlier requests left behind may be stopped before the first one of this round, and after the last one.
    await workerd.countSteps(this.nextKill(150)).catch(unlessStopped)
    const moved = workerd.advance(ms, this.orders).catch(unlessStopped)
    await Promise.all([work(), moved])
    if (!workerd.wasStopped) await workerd.countSteps().catch(unlessStopped)
    if (workerd.wasStopped) {
      this.kills++
      await workerd.restart()
    }
    // No request takes minutes inside the service, which the worker assumes too: the clock waits for it.
    await workerd.idle()
  }

  end(): Promise<void> {
    return this.workerd.end()
  }
}
