/** A request to the emulated service as the request log keeps it: credentials and card data are masked. */
export interface LoggedRequest {
  id: string
  /** On the emulator's clock. */
  at: string
  method: string
  /** Path and query. */
  path: string
  /** The endpoint, in the SDK's names, `checkout` for the customer's pages; null for a path that is neither. */
  operation: string | null
  order_id: string | null
  headers: Record<string, string>
  /** At most 16,384 characters; what was cut is said at its end. */
  body: string
  /** Null where no response was sent: the connection was broken, the caller gave up, or the emulator failed. */
  status: number | null
  /** Why the request was rejected, or why it has no response; null for everything else. */
  reason: string | null
  response_headers: Record<string, string>
  /** At most 16,384 characters; empty for a page. */
  response_body: string
  /** The faults that fired on this request. */
  faults: AppliedFault[]
}

/** A fault as it was set: its kind and its parameters. */
export interface AppliedFault {
  kind: string
}

/** Something that happened, as `onActivity` gets it. `at` is a time on the emulator's clock. */
export type Activity =
  | ({ type: 'request' } & Pick<
      LoggedRequest,
      'at' | 'id' | 'method' | 'path' | 'operation' | 'order_id' | 'status' | 'reason'
    >)
  | {
      type: 'webhook'
      at: string
      id: string
      order_id: string
      /** The `method` and `status` of the payload. */
      method: string
      status: string
      url: string
      /** 1 for the first attempt. */
      attempt: number
      /** The receiver's HTTP status, or why there was none. */
      response: number | null
      error: string | null
      /** When a failed delivery is tried again; null when it is not. */
      retry_at: string | null
    }
  | { type: 'preflight'; at: string; url: string; response: number | null; error: string | null }
  | { type: 'fault'; at: string; fault: AppliedFault; on: string; id: string; order_id: string | null }
  /** A mistake of the emulator itself. */
  | { type: 'error'; at: string; id: string | null; stack: string }

/** How many requests are kept; older ones are forgotten. */
const MAX_REQUESTS = 2000

/** What has happened, in its order, and who wants to know. */
export interface ActivityLog {
  /** The latest requests, oldest first. */
  readonly requests: readonly LoggedRequest[]
  /** Adds a request and gives it its id. */
  open(request: Omit<LoggedRequest, 'id'>): LoggedRequest
  /** Remembers the place of an entry of any log in the sequence of events: a clock that stands still cannot tell. */
  stamp<T extends object>(entry: T): T
  placeOf(entry: object): number
  report(activity: Activity): void
  clear(): void
}

export function createActivityLog(onActivity: ((activity: Activity) => void) | undefined): ActivityLog {
  const requests: LoggedRequest[] = []
  const places = new WeakMap<object, number>()
  let place = 0
  let count = 0

  const stamp = <T extends object>(entry: T): T => {
    place += 1
    places.set(entry, place)
    return entry
  }

  return {
    requests,
    open(request) {
      count += 1
      const entry = stamp({ id: `emulator-request-${count}`, ...request })
      requests.push(entry)
      if (requests.length > MAX_REQUESTS) requests.shift()
      return entry
    },
    stamp,
    placeOf: (entry) => places.get(entry) ?? 0,
    report(activity) {
      try {
        onActivity?.(activity)
      } catch (error) {
        // The listener's mistake: it must be seen, and must not become a failed payment.
        queueMicrotask(() => {
          throw error
        })
      }
    },
    clear() {
      requests.length = 0
      count = 0
    },
  }
}
