// Imports one module in a fresh process and prints the milliseconds it took.

const host = globalThis as unknown as { Deno?: { args: string[] }; process: { argv: string[] } }
const given = JSON.parse(host.Deno?.args[0] ?? host.process.argv[2] ?? '') as { module: string }
// Our module is given as a file: finding a package's file is not measured.
const address = import.meta.resolve(given.module)
const startedAt = performance.now()
await import(address)
console.log(JSON.stringify(performance.now() - startedAt))

export {}
