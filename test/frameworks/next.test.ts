import { it } from 'vitest'
import { expectFreshAnswers } from './next.ts'

it.each(['14', '15', '16'] as const)('Next %s answers nothing of the service from a cache', (version) =>
  expectFreshAnswers(version, ['app/refund/route.js', 'app/settle/route.js', 'app/state/page.jsx']),
)
