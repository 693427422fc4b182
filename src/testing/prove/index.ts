/** `prove` attacks a shop's own receiver and judges it by money. Part of `edgetill/testing` and the command line. */
export type { AskedOrder, ProvePress, ProveRequest, ProveState } from '../tested-shop.ts'
export { ProveError, stateOf } from '../tested-shop.ts'
export type { Cause } from './causes.ts'
export type { ProveOptions } from './options.ts'
export { prove } from './prove.ts'
export { type ProveFinding, type ProveReport, reportText } from './report.ts'
export type { StoryStep } from './run.ts'
export type { OrderKind, StoryFile } from './story.ts'
