import type { Context } from '../context.ts'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/

/**
 * Rejects a control request that names a host other than the emulator's own: a page whose name was pointed at this machine
 * (DNS rebinding) sends its own. Without an `origin` the emulator is not served and has no host to compare.
 */
export function hostProblem(context: Context, request: Request): Response | undefined {
  const { origin, served } = context.options
  const { host, hostname } = new URL(request.url)
  if (!served || host === new URL(origin).host || LOOPBACK.test(hostname)) return undefined
  const error = `The control API is not available under the host ${host}; serve the emulator with --origin http://${host}.`
  return Response.json({ error }, { status: 403 })
}
