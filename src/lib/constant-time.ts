/**
 * Compares two texts without an early exit at the first difference. Only the lengths can be inferred from the time it
 * takes.
 */
export function equalText(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
