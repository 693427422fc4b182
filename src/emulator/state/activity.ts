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
  /** At most 16,384 characters, with a note about a cut at the end. */
  body: string
  /** Null if no response was sent: the connection was broken, the caller gave up, or the emulator failed. */
  status: number | null
  /** Why the request was rejected, or why it has no response; null for everything else. */
  reason: string | null
  response_headers: Record<string, string>
  /** At most 16,384 characters; empty for a page. */
  response_body: string
  /** Milliseconds of real time until the response; 0 where the emulator's clock stands still. */
  ms: number
  /** The faults that fired on this request. */
  faults: AppliedFault[]
}

/** Selects requests; an omitted field matches every request. */
export interface RequestFilter {
  order_id?: string | undefined
  /** The HTTP status of the response, such as 400, or a class: `4xx`. */
  status?: number | '2xx' | '3xx' | '4xx' | '5xx' | undefined
}

/**
 * Behaviour that a request relied on and the API document does not promise: it works here, and may be rejected there.
 */
export interface Note {
  id: string
  /** On the emulator's clock. */
  at: string
  request_id: string
  order_id: string | null
  /** The endpoint, in the SDK's names. */
  operation: string
  /** One or more parameters. */
  field: string
  /** A whole sentence. */
  text: string
}

/** A fault as it was set: its kind and its parameters. */
export interface AppliedFault {
  kind: string
}

/**
 * Something that happened, as `onActivity` gets it. `at` is a time on the emulator's clock, `shop` the name of a shop
 * beside its own.
 */
export type Activity = { shop?: string } & (
  | ({ type: 'request' } & Pick<
      LoggedRequest,
      'at' | 'id' | 'method' | 'path' | 'operation' | 'order_id' | 'status' | 'reason' | 'ms'
    > & {
        /** The action of a control request. */
        body?: string
      })
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
      /** Milliseconds of real time; 0 where the emulator's clock stands still. */
      ms: number
    }
  | { type: 'preflight'; at: string; url: string; response: number | null; error: string | null }
  | { type: 'fault'; at: string; fault: AppliedFault; on: string; id: string; order_id: string | null }
  | ({ type: 'note' } & Note)
  /** A mistake of the emulator itself. */
  | { type: 'error'; at: string; id: string | null; stack: string }
)

export type EmulatorEvent =
  | Activity
  | { type: 'state'; at: string; order_id: string; what: string }
  | { type: 'reset'; at: string }

const MAX_REQUESTS = 2000

export interface SavedActivity {
  requests: LoggedRequest[]
  places: number[]
  notes: Note[]
  count: number
  noted: number
  place: number
}

/** The log of events, in their order, and its listeners. */
export class ActivityLog {
  readonly requests: LoggedRequest[] = []
  readonly notes: Note[] = []
  private requested = 0
  private noted = 0
  // A clock that stands still cannot tell which of two things came first.
  private place = 0
  private readonly places = new WeakMap<object, number>()
  private readonly listeners = new Set<(event: EmulatorEvent) => void>()
  private readonly onActivity: ((activity: Activity) => void) | undefined

  constructor(onActivity: ((activity: Activity) => void) | undefined) {
    this.onActivity = onActivity
  }

  note(note: Omit<Note, 'id'>): void {
    this.noted += 1
    const one = { id: `emulator-note-${this.noted}`, ...note }
    this.notes.push(one)
    if (this.notes.length > MAX_REQUESTS) this.notes.shift()
    this.report({ type: 'note', ...one })
  }

  open(request: Omit<LoggedRequest, 'id'>): LoggedRequest {
    this.requested += 1
    const entry = this.stamp({ id: `emulator-request-${this.requested}`, ...request })
    this.requests.push(entry)
    if (this.requests.length > MAX_REQUESTS) this.requests.shift()
    return entry
  }

  select({ order_id, status }: RequestFilter = {}): LoggedRequest[] {
    return this.requests.filter(
      (one) =>
        (order_id === undefined || one.order_id === order_id) &&
        (status === undefined || one.status === status || `${String(one.status)[0]}xx` === status),
    )
  }

  stamp<T extends object>(entry: T): T {
    this.place += 1
    this.places.set(entry, this.place)
    return entry
  }

  placeOf(entry: object): number {
    return this.places.get(entry) ?? 0
  }

  putAt(entry: object, place: number): void {
    this.places.set(entry, place)
  }

  report(activity: Activity): void {
    this.publish(activity)
    try {
      this.onActivity?.(activity)
    } catch (error) {
      // The listener's mistake: it must be seen, and must not become a failed payment.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  publish(event: EmulatorEvent): void {
    for (const listener of this.listeners) listener(event)
  }

  /** Calls `listener` with each event; returns a function that ends the calls. */
  subscribe(listener: (event: EmulatorEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  save(): SavedActivity {
    const { requests, notes, requested: count, noted, place } = this
    return { requests, places: requests.map((one) => this.placeOf(one)), notes, count, noted, place }
  }

  restore(saved: SavedActivity): void {
    this.requests.push(...saved.requests)
    this.notes.push(...saved.notes)
    for (const [index, one] of this.requests.entries()) this.putAt(one, saved.places[index] ?? 0)
    ;({ count: this.requested, noted: this.noted, place: this.place } = saved)
  }

  /** Forgets the requests and notes of an order. */
  forget(orderId: string): void {
    for (const list of [this.requests, this.notes] as { order_id: string | null }[][]) {
      list.splice(0, list.length, ...list.filter(({ order_id }) => order_id !== orderId))
    }
  }

  clear(): void {
    this.requests.length = 0
    this.notes.length = 0
    this.requested = 0
    this.noted = 0
  }
}
