/**
 * Reads a form of the emulator's pages as the JSON that the control API takes. A form knows text alone and sends empty fields:
 * numbers become numbers, and what is empty is left out.
 */
export function readForm(raw: string, name: string): { input: Record<string, unknown>; returnTo: string } {
  const { return_to = '', ...filled } = Object.fromEntries(
    [...new URLSearchParams(raw)].filter(([, value]) => value !== ''),
  )
  const input = Object.fromEntries(Object.entries(filled).map(([key, value]) => [key, typed(key, value)]))
  // Parsed, so that what a header cannot hold is escaped.
  const back = return_to.startsWith('/_emulator') ? new URL(return_to, 'http://localhost') : undefined
  const returnTo = back === undefined ? '/_emulator' : back.pathname + back.search
  return { input: name === 'faults' ? faultsOf(input) : input, returnTo }
}

const NUMBERS = ['amount', 'ms', 'status', 'times', 'probability', 'retryAfter', 'pieces']

function typed(key: string, value: string): unknown {
  if (value === 'true' && (key === 'clear' || key === 'wait')) return true
  return NUMBERS.includes(key) && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
}

/** A form has no nested fields: `fault` is the kind, what stands beside it belongs to the fault. */
function faultsOf(input: Record<string, unknown>): Record<string, unknown> {
  const { fault: kind, times, probability, ...rest } = input
  if (kind === undefined) return input
  const fault: Record<string, unknown> = { kind, ...rest }
  // How often a webhook is duplicated, not how often the fault fires.
  if (kind === 'duplicate' && times !== undefined) fault.times = times
  if (probability !== undefined) return { rate: fault, probability }
  return { next: fault, ...(times === undefined || kind === 'duplicate' ? {} : { times }) }
}
