/** `prove` attacks a shop's own receiver and judges it by money. A part of `edgetill/testing`, and of the command line. */

export type { Cause } from './causes.ts'
export { type AskedOrder, ProveError, type ProveOptions, type ProvePress, type ProveState } from './options.ts'
export { prove } from './prove.ts'
export type { ProveFinding, ProveReport } from './report.ts'
export { reportText } from './report.ts'
export type { StoryStep } from './run.ts'
export { stateOf } from './shop.ts'
export type { OrderKind } from './story.ts'
export type { StoryFile } from './story-file.ts'
