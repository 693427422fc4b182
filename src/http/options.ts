import * as v from 'valibot'
import { TIMEOUT_LIMIT_MS } from '../config.ts'
import { anObject, fieldsOf, must, option, optionsOf, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, wholeNumber } from '../schemas/input.ts'
import type { CallOptions } from './types.ts'

/**
 * Checks the options of a call.
 * @throws {InvalidInputError} naming each that is wrong.
 */
export const checkOptions = (operation: string, options: CallOptions): CallOptions =>
  checkInput(operation, optionsSchema, options)

const optionFields = /* @__PURE__ */ pure(() =>
  fieldsOf<CallOptions>()({
    signal: option(v.custom<AbortSignal>(isSignal, must('be the signal of an AbortController'))),
    timeoutMs: option(wholeNumber(1, TIMEOUT_LIMIT_MS)),
    deadlineMs: option(wholeNumber(1, TIMEOUT_LIMIT_MS)),
    maxRetries: option(wholeNumber(0, 10)),
    passThrough: option(anObject),
  }),
)

const optionsSchema: Schema<CallOptions> = /* @__PURE__ */ pure(() => optionsOf(optionFields))

function isSignal(value: unknown): boolean {
  const { aborted, addEventListener } = value as Partial<AbortSignal>
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
}
