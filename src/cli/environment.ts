interface DenoPermissions {
  permissions: { querySync(descriptor: { name: 'env'; variable: string }): { state: string } }
}

/** An environment variable; undefined where it is not set, empty, or where Deno was not allowed to read it (it would ask). */
export function environmentVariable(name: string): string | undefined {
  const { Deno: deno } = globalThis as { Deno?: DenoPermissions }
  if (deno !== undefined && deno.permissions.querySync({ name: 'env', variable: name }).state !== 'granted') {
    return undefined
  }
  return process.env[name] || undefined
}
