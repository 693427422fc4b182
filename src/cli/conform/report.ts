import type { Judgement } from './judgement.ts'
import type { MadeOrder } from './state.ts'
import type { Statement } from './statements.ts'
import type { Undocumented } from './undocumented.ts'

export interface JudgedStatement extends Judgement, Omit<Statement, 'follow'> {
  follow?: string
}

/** The findings of a run, without anything secret or personal. */
export interface ConformReport {
  statements: JudgedStatement[]
  undocumented: Undocumented
  made: Pick<MadeOrder, 'order_id' | 'what' | 'now' | 'open'>[]
}

/** Whether something holds, nothing differs, and nothing was left in the project. */
export const isClean = ({ statements, made }: ConformReport): boolean => {
  const has = (result: Judgement['result']): boolean => statements.some((one) => one.result === result)
  return has('holds') && !has('differs') && !made.some(({ open }) => open)
}

/** How many new fields the text lists: the list of payments below must not scroll away. */
const MAX_FIELDS = 20

/** A report as text, for people: differences come first. */
export function conformText({ statements, undocumented, made }: ConformReport): string {
  const of = (result: Judgement['result']) => statements.filter((one) => one.result === result)
  const [hold, differ, untried] = [of('holds').length, of('differs').length, of('not tried').length]
  const lines = [`${hold} hold, ${differ} differ, ${untried} were not tried.`]
  const group = (title: string, members: readonly string[]): void => {
    if (members.length > 0) lines.push('', `${title}:`, ...members.map((line) => `  ${line}`))
  }
  const differing = of('differs').flatMap(({ id, says, assumed, seen, follow }) => [
    ...[`${id}: ${says}`, `  seen: ${seen}. Assumed in: ${assumed}.`, `  follow it with: ${follow}`],
  ])
  const shortly = (result: Judgement['result']) => of(result).map(({ id, seen }) => `${id}: ${seen}`)
  group('Differs', differing)
  group('Not tried', shortly('not tried'))
  group('Holds', shortly('holds'))
  const fields = undocumented.fields.map(({ in: where, path, type }) => `${where}: ${path} (${type})`)
  const more = fields.splice(MAX_FIELDS).length
  group('New in its responses', [
    ...fields,
    ...(more > 0 ? [`and ${more} more fields: --report FILE has them`] : []),
    ...undocumented.values.map(({ field, value }) => `${field} ${value}`),
  ])
  const ends = made.map(({ order_id, what, now = 'left as it is' }) => `${order_id} (${what}): ${now}`)
  group('Made in the project', ends)
  return lines.join('\n')
}
