// `--set path=value`, may be repeated: `--set amount=5 --set fee.amount=1.5 --set order_id=7`.

import { InvalidArgumentError } from 'commander'
import { parseJson } from '../json.ts'
import { UsageError } from './errors.ts'

/** One `--set`: the names down to the field, and the text of its value. */
export type Setting = { path: readonly string[]; text: string }

/** For commander: `.option('--set <PATH=VALUE>', '…', repeated(setting))`. */
export function setting(text: string): Setting {
  const at = text.indexOf('=')
  const path = text.slice(0, Math.max(at, 0)).split('.')
  if (path.every((name) => /^\w+$/.test(name) && name !== '__proto__')) return { path, text: text.slice(at + 1) }
  throw new InvalidArgumentError('It takes PATH=VALUE like fee.amount=1.5.')
}

/**
 * A copy of an object with the settings, in their order. A value is JSON (`1.5`, `{"a":1}`, `"text"`), else a text. If
 * the object has a text, only `null` and quoted values are JSON: `order_id=7` stays a text. @throws {UsageError}
 */
export function applySettings(base: object, settings: readonly Setting[]): Record<string, unknown> {
  const result = structuredClone(base) as Record<string, unknown>
  for (const { path, text } of settings) {
    let target = result
    for (const [index, name] of path.slice(0, -1).entries()) {
      const inner = Object.hasOwn(target, name) ? target[name] : undefined
      if (inner !== undefined && inner !== null && typeof inner !== 'object') {
        throw new UsageError(`--set ${path.join('.')}: ${path.slice(0, index + 1).join('.')} is not an object.`)
      }
      target[name] = inner ?? {}
      target = target[name] as Record<string, unknown>
    }
    const name = path.at(-1) ?? ''
    target[name] = readValue(text, Object.hasOwn(target, name) && typeof target[name] === 'string')
  }
  return result
}

function readValue(text: string, wasText: boolean): unknown {
  if (wasText && text !== 'null' && !/^".*"$/s.test(text)) return text
  const json = parseJson(text)
  return json === undefined ? text : json
}
