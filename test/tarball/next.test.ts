import { expect, it } from 'vitest'
import { expectFreshAnswers } from '../frameworks/next.ts'

// The whole of it, with the newer versions, is in test/frameworks.

it('Next 14, which caches the answers of POST requests too, sends each refund of a GET route', {
  timeout: 300_000,
}, async () => {
  await expect(expectFreshAnswers('14', ['app/refund/route.js'])).resolves.toBeUndefined()
})
