// The rules of src/shop/protocol.ts, each taken out by a change of its text. A slip that the model does not find is a rule that
// nobody needs, or a scenario that is missing.

/** A rule, and the change that takes it out: `find` stands in protocol.ts once. */
export interface Slip {
  rule: string
  find: string
  replace: string
}

export const SLIPS: readonly Slip[] = [
  {
    rule: 'an operation is recorded before it is sent',
    find: "      { type: 'store', operation },\n      { type: 'then'",
    replace: "      { type: 'then'",
  },
  {
    rule: 'what the storage held up for long is not sent',
    find: 'if (now - operation.started_at > SEND_MS) return',
    replace: 'if (now < 0) return',
  },
  {
    rule: 'an absence at the service counts after a while',
    find: 'settleAfterMs: NEVER_MS',
    replace: 'settleAfterMs: 0',
  },
  {
    rule: 'one key gets one answer',
    find: 'if (ended) return answer(state, ended.response as RecordedResponse)',
    replace: '',
  },
  {
    rule: 'while an outcome is unknown, no other operation is made',
    find: 'return open ? settle({ ...state, waiting: wanted }, open, true, now) : begin(state, wanted, now)',
    replace: 'return begin(state, wanted, now)',
  },
  {
    rule: 'an outcome that is unknown is not one that was rejected',
    find: 'return end(state, operation, { outcome, response, operation_id }, [',
    replace: "return end(state, operation, { outcome: isUnknown ? 'not_sent' : outcome, response, operation_id }, [",
  },
  {
    rule: 'an operation of the service that was known before is not this one',
    find: '    known: [\n',
    replace: '    known: [],\n    unused: [\n',
  },
  {
    rule: 'an operation fits by its amount',
    find: "(kind === 'void' || (amount !== null && Math.round(amount * 100) === expected))",
    replace: 'true',
  },
  {
    rule: 'a gate that was lost asks the service first',
    find: "      : { state, commands: [{ type: 'list_all', request: wanted }] }\n",
    replace: '      : undefined\n',
  },
  {
    rule: 'a gate that was lost waits until a call has arrived',
    find: 'return now - loss.at < RECOVER_MS',
    replace: 'return now < 0',
  },
  {
    rule: 'an operation that no key explains stands in the way of a new key',
    find: 'return found && answer(state, strange(wanted.kind, found.id))',
    replace: 'return undefined',
  },
  {
    rule: 'a look at the events comes before a new call',
    find: "if (typeof found === 'object') return executed(state, operation, found, now)\n  const isAskable",
    replace: "if (typeof found === 'object') return resume(notExecuted(state, operation), now)\n  const isAskable",
  },
  {
    rule: 'what the service shows counts before its absence',
    find: "return found === 'none' && outcome === 'not_executed'",
    replace: "return outcome !== 'executed'",
  },
]
