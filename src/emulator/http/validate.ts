import type { ParameterRule, ParameterTable } from '../spec/parameters.ts'
import type { Rules } from '../spec/rules.ts'
import type { Violation } from './problem.ts'

type Body = Record<string, unknown>

export function validate(rules: Rules, table: ParameterTable, body: Body, prefix = ''): Violation[] {
  const violations: Violation[] = []
  for (const [name, rule] of Object.entries(table)) {
    const field_name = prefix + name
    const value = body[name] ?? undefined
    if (value === undefined) {
      if (rule.required) violations.push({ field_name, violation: 'is required' })
      continue
    }
    const violation = rules.types[rule.type](value) ?? outOfRange(rule, value)
    if (violation !== undefined) violations.push({ field_name, violation })
    else violations.push(...nested(rules, rule, value, field_name))
  }
  return violations
}

function outOfRange({ min, max = Number.POSITIVE_INFINITY }: ParameterRule, value: unknown): string | undefined {
  if (typeof value === 'string' && [...value].length > max) return `must have at most ${max} characters`
  if (typeof value === 'number' && value > max) return `must be at most ${max}`
  return min !== undefined && (value as number) < min ? `must be at least ${min}` : undefined
}

function nested(rules: Rules, rule: ParameterRule, value: unknown, name: string): Violation[] {
  if (rule.type === 'fingerprint') return validate(rules, rules.parameters.fingerprint, value as Body, `${name}.`)
  if (rule.type === 'split') {
    return (value as unknown[]).flatMap((entry, index) => {
      const at = `${name}[${index}]`
      const wrong = rules.types.json(entry)
      if (wrong !== undefined) return [{ field_name: at, violation: wrong }]
      return validate(rules, rules.parameters.splitEntry, entry as Body, `${at}.`)
    })
  }
  if (rule.type === 'recurring') return validateRecurring(rules, value as Body, `${name}.`)
  return []
}

function validateRecurring(rules: Rules, body: Body, prefix: string): Violation[] {
  const violations = validate(rules, rules.parameters.recurring, body, prefix)
  const { maxHours, maxHoursDaily } = rules.recurring
  const max = body.interval_unit === 'day' ? maxHoursDaily : maxHours
  if (typeof body.retry_interval_hours === 'number' && body.retry_interval_hours > max) {
    violations.push({ field_name: `${prefix}retry_interval_hours`, violation: `must be at most ${max}` })
  }
  return violations
}

export function relax(table: ParameterTable, name: (parameter: string) => boolean): ParameterTable {
  return Object.fromEntries(
    Object.entries(table).map(([key, rule]) => [key, name(key) ? { ...rule, required: false } : rule]),
  )
}
