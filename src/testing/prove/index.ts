/** `prove` attacks a shop's own receiver and judges it by money. A part of `edgetill/testing`, and of the command line. */

export type { Cause } from './causes.ts'
export { PROVE_FLAGS } from './flags.ts'
export { type AskedOrder, ProveError, type ProveOptions, type ProveState } from './options.ts'
export { reportPage } from './page.ts'
export { type ProveFinding, type ProveReport, prove } from './prove.ts'
export { reportText } from './report.ts'
export type { StoryStep } from './run.ts'
export { stateOf } from './shop.ts'
export type { OrderKind } from './story.ts'
