interface Host {
  Deno?: { inspect(value: unknown, options: object): string }
  Bun?: { inspect(value: unknown, options: object): string }
  process?: { getBuiltinModule?(id: string): { inspect(value: unknown, options: object): string } | undefined }
}

/** What this runtime's `console.log` would print, in full depth; where nothing can tell, the properties one can reach. */
export function inspect(value: unknown): string {
  const { Deno, Bun, process } = globalThis as Host
  const options = { depth: 10 }
  const shown = [
    Deno?.inspect(value, options),
    Bun?.inspect(value, options),
    process?.getBuiltinModule?.('util')?.inspect(value, options),
  ].filter((text) => text !== undefined)
  return shown.length > 0 ? shown.join('\n') : String(value) + JSON.stringify(value, undefined, 1)
}
