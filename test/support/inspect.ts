interface Host {
  Deno?: { inspect(value: unknown, options: object): string }
  Bun?: { inspect(value: unknown, options: object): string }
  process?: { getBuiltinModule?(id: string): { inspect(value: unknown, options: object): string } | undefined }
}

/** The output of this runtime's `console.log`, in full depth, with `showHidden` what is not enumerable too; where nothing can tell, all that it could reach. */
export function inspect(value: unknown, showHidden = false): string {
  const { Deno, Bun, process } = globalThis as Host
  const options = { depth: 10, showHidden, getters: showHidden }
  const shown = [
    Deno?.inspect(value, options),
    Bun?.inspect(value, options),
    process?.getBuiltinModule?.('util')?.inspect(value, options),
  ].filter((text) => text !== undefined)
  return shown.length > 0 ? shown.join('\n') : reach(value, 10, showHidden)
}

function reach(value: unknown, depth: number, showHidden: boolean): string {
  if (depth === 0 || value === null || typeof value !== 'object') return String(value)
  const { stack, cause } = value as Error
  const inside = (showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value)).map(
    (key) => `${key}: ${reach((value as Record<string, unknown>)[key], depth - 1, showHidden)}`,
  )
  return [stack, cause === undefined ? '' : reach(cause, depth - 1, showHidden), ...inside].join('\n')
}
