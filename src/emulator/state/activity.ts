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
  /** Milliseconds until the response, on the emulator's clock: 0 where it stands still. */
  ms: number
  /** The faults that fired on this request. */
  faults: AppliedFault[]
}

/** What a request relied on that the API document does not promise: it works here, and may be rejected there. */
export interface Note {
  id: string
  /** On the emulator's clock. */
  at: string
  request_id: string
  order_id: string | null
  /** The endpoint, in the SDK's names. */
  operation: string
  /** The parameter, or several of them. */
  field: string
  /** A whole sentence. */
  text: string
}

/** A fault as it was set: its kind and its parameters. */
export interface AppliedFault {
  kind: string
}

/** Something that happened, as `onActivity` gets it. `at` is a time on the emulator's clock. */
export type Activity =
  | ({ type: 'request' } & Pick<
      LoggedRequest,
      'at' | 'id' | 'method' | 'path' | 'operation' | 'order_id' | 'status' | 'reason' | 'ms'
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
      /** Milliseconds, on the emulator's clock. */
      ms: number
    }
  | { type: 'preflight'; at: string; url: string; response: number | null; error: string | null }
  | { type: 'fault'; at: string; fault: AppliedFault; on: string; id: string; order_id: string | null }
  | ({ type: 'note' } & Note)
  /** A mistake of the emulator itself. */
  | { type: 'error'; at: string; id: string | null; stack: string }

/** What the stream of events has beside it. */
export type EmulatorEvent =
  | Activity
  | { type: 'state'; at: string; order_id: string; what: string }
  | { type: 'reset'; at: string }

/** How many requests and how many notes are kept; older ones are forgotten. */
const MAX_REQUESTS = 2000

/** What has happened, in its order, and who wants to know. */
export interface ActivityLog {
  /** The latest requests, oldest first. */
  readonly requests: readonly LoggedRequest[]
  /** The latest notes, oldest first. */
  readonly notes: readonly Note[]
  /** Adds and reports a note. */
  note(note: Omit<Note, 'id'>): void
  /** Adds a request and gives it its id. */
  open(request: Omit<LoggedRequest, 'id'>): LoggedRequest
  /** Remembers the place of an entry of any log in the sequence of events: a clock that stands still cannot tell. */
  stamp<T extends object>(entry: T): T
  placeOf(entry: object): number
  /** Gives an entry that was stored its place again. */
  place(entry: object, place: number): void
  report(activity: Activity): void
  /** Something that only the stream of events has. */
  publish(event: EmulatorEvent): void
  /** Calls `listener` with each event; returns what ends that. */
  subscribe(listener: (event: EmulatorEvent) => void): () => void
  save(): SavedActivity
  restore(saved: SavedActivity): void
  clear(): void
}

export interface SavedActivity {
  requests: LoggedRequest[]
  places: number[]
  notes: Note[]
  count: number
  noted: number
  place: number
}

export function createActivityLog(onActivity: ((activity: Activity) => void) | undefined): ActivityLog {
  const requests: LoggedRequest[] = []
  const places = new WeakMap<object, number>()
  let place = 0
  let count = 0
  const notes: Note[] = []
  let noted = 0

  const stamp = <T extends object>(entry: T): T => {
    place += 1
    places.set(entry, place)
    return entry
  }

  const listeners = new Set<(event: EmulatorEvent) => void>()
  const publish = (event: EmulatorEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const report = (activity: Activity): void => {
    publish(activity)
    try {
      onActivity?.(activity)
    } catch (error) {
      // The listener's mistake: it must be seen, and must not become a failed payment.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  return {
    requests,
    notes,
    note(note) {
      noted += 1
      const one = { id: `emulator-note-${noted}`, ...note }
      notes.push(one)
      if (notes.length > MAX_REQUESTS) notes.shift()
      report({ type: 'note', ...one })
    },
    open(request) {
      count += 1
      const entry = stamp({ id: `emulator-request-${count}`, ...request })
      requests.push(entry)
      if (requests.length > MAX_REQUESTS) requests.shift()
      return entry
    },
    stamp,
    placeOf: (entry) => places.get(entry) ?? 0,
    place: (entry, at) => {
      places.set(entry, at)
    },
    report,
    publish,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    save: () => ({ requests, places: requests.map((one) => places.get(one) ?? 0), notes, count, noted, place }),
    restore(saved) {
      requests.push(...saved.requests)
      notes.push(...saved.notes)
      for (const [index, one] of requests.entries()) places.set(one, saved.places[index] ?? 0)
      ;({ count, noted, place } = saved)
    },
    clear() {
      requests.length = 0
      notes.length = 0
      count = 0
      noted = 0
    },
  }
}
