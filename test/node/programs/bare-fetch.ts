// The control: a POST as everybody sends it, without this package's guard.
export async function main({ url, body }: { url: string; body: string }): Promise<string> {
  try {
    return String((await fetch(url, { method: 'POST', body, redirect: 'manual' })).status)
  } catch {
    return 'failed'
  }
}
