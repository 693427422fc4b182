export interface Violation {
  field_name: string
  violation: string
}

/** `args` of an error body takes several shapes in public material: an object with a code, or a list of violations. */
export type ProblemArgs = { code: string } | Violation[]

/**
 * A request that is rejected with a 4xx. The body's shape is an assumption from public material: the API document does
 * not show it.
 */
export class Problem extends Error {
  readonly status: number
  readonly args: ProblemArgs
  readonly headers: Record<string, string>

  constructor(status: number, message: string, args: ProblemArgs, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.args = args
    this.headers = headers
  }

  toResponse(): Response {
    return Response.json({ message: this.message, args: this.args }, { status: this.status, headers: this.headers })
  }
}
