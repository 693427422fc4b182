// Prints a timeline, and stops at the first step that fails.

/** A step failed; the message has the observation. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
}

/** Stops the demo unless a condition holds. */
export function expectThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new StepFailed(otherwise)
}

/** A line of the timeline: the actor, the action, the HTTP status, the change. */
export function say(who: string, what: string, status: number | string = '', changed = ''): void {
  console.log(`  ${who.padEnd(9)} ${what.padEnd(58)} ${String(status).padEnd(4)} ${changed}`.trimEnd())
}

export function title(text: string): void {
  console.log(`\n${text}`)
}
