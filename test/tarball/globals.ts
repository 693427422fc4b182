/**
 * The only globals that the published types may name: web standards that Node 20, Deno, Bun, Workers and browsers share.
 * Each is declared here as little as a declaration can be; one more name in the types makes a test fail.
 */
export const GLOBALS: Readonly<Record<string, string>> = {
  AbortSignal: 'interface AbortSignal {}',
  // Named by valibot's types, which a schema's type leads to.
  Blob: 'interface Blob {}',
  File: 'interface File extends Blob {}',
  ReadableStream: 'interface ReadableStream<R = unknown> {}',
  Request: 'interface Request {}',
  RequestInit: 'interface RequestInit {}',
  Response: 'interface Response {}',
  URL: 'interface URL {}',
}
