import type { ActivityLog } from '../state/activity.ts'

/**
 * `GET /_emulator/api/events`: the emulator's activity, as server-sent events. The name of an event is its type:
 * `request`, `state`, `webhook`, `note`, `fault`, `preflight`, `error` or `reset`.
 */
export function eventStream(activity: ActivityLog, request: Request): Response {
  const text = new TextEncoder()
  let end = (): void => {}
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      let count = 0
      // A first line at once shows the reader that it is connected.
      controller.enqueue(text.encode('retry: 1000\n: connected\n\n'))
      const unsubscribe = activity.subscribe((event) => {
        count += 1
        controller.enqueue(text.encode(`id: ${count}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
      })
      const leave = (): void => {
        end()
        controller.close()
      }
      end = () => {
        unsubscribe()
        // The signal is not enough: on Node it works only as long as something holds its request.
        request.signal.removeEventListener('abort', leave)
      }
      request.signal.addEventListener('abort', leave, { once: true })
    },
    cancel: () => end(),
  })
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' }
  return new Response(stream, { headers })
}
