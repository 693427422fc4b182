import { expect, it, vi } from 'vitest'

// Made by: printf %s TEXT | openssl dgst -sha1 -binary | base64 | tr +/ -_
const VECTORS: [text: string, hash: string][] = [
  ['', '2jmj7l5rSw0yVb_vlWAYkK_YBwk='],
  ['abc', 'qZk-NkcGgWq6PiVxeFDCbJzQ2J0='],
  ['чашка 🍵', 'RHwWZcj_FOazKvk2dDfGvey-KPE='],
]

const fresh = async () => {
  vi.resetModules()
  return (await import('../../src/lib/sha1.ts')).sha1Base64url
}

it('agrees with openssl, by whatever this runtime has', async () => {
  const sha1Base64url = await fresh()
  for (const [text, hash] of VECTORS) expect(sha1Base64url(text)).toBe(hash)
})

/** Loads the module with another `process.getBuiltinModule`, and hashes all vectors. */
async function withBuiltin(getBuiltinModule: unknown): Promise<string[]> {
  const sha1Base64url = await fresh()
  const { process } = globalThis as { process?: object }
  vi.stubGlobal('process', Object.create(process ?? null, { getBuiltinModule: { value: getBuiltinModule } }))
  try {
    return VECTORS.map(([text]) => sha1Base64url(text))
  } finally {
    vi.unstubAllGlobals()
  }
}

const fail = (message: string): never => {
  throw new Error(message)
}

const EXPECTED = VECTORS.map(([, hash]) => hash)

it.each<[string, unknown]>([
  ['absent', undefined],
  ['denied', () => fail('denied')],
  ['without its hash', () => ({ hash: () => fail('absent') })],
])('works where the built-in module is %s', async (_, getBuiltinModule) => {
  expect(await withBuiltin(getBuiltinModule)).toEqual(EXPECTED)
})

it('a built-in hash with a wrong result decides nothing', async () => {
  const wrong = { hash: () => 'wrong', createHash: () => ({ update: () => ({ digest: () => 'wrong' }) }) }
  expect(await withBuiltin(() => wrong)).toEqual(EXPECTED)
})
