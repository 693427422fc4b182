/** The flags of `edgetill doctor --conform`, and what each is. */
export const CONFORM_FLAGS: readonly (readonly [flag: string, says: string])[] = [
  ['--test-project', 'these are the credentials of the test project: nothing else shows it'],
  ['--live-with-smallest-amounts', 'run in the live project; with a card, money moves and is returned'],
  ['--amount <N>', 'the smallest amount that the project takes (default: 0.01)'],
  ['--currency <CODE>', 'of the payments (default: UAH)'],
  ['--sub-merchant <UUID>', 'for the statements about splits'],
  ['--webhook-port <N>', 'where --webhook-url leads to: a receiver on this machine (default: 4011)'],
  ['--state <FILE>', 'what an interrupted run goes on from (default: conform-state.json)'],
  ['--report <FILE>', 'writes the report as JSON'],
]
