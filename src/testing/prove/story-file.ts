import { ProveError } from '../tested-shop.ts'
import { FIELDS, INTRUSIONS } from './bodies.ts'
import { isGenuine, MISMATCHES, type Story, TWINS, WAYS } from './story.ts'

/** A story as a file's JSON, to play a finding again. Only `prove` reads the fields of `story`. */
export interface StoryFile {
  edgetill_story: 1
  found?: { verdict: string; cause: string }
  story: object
}

/** Reads a story. @throws {ProveError} for anything else. */
export function readStory(json: unknown): Story {
  const story = ((json ?? {}) as { story?: Story }).story ?? ({} as Story)
  const { asked, actions, sendings, twin = 'case', fields = 'bare', mismatch = 'amount' } = story
  const isKnown = sendings?.every((one) => (isGenuine(one) ? one.way in WAYS : one.intrusion in INTRUSIONS))
  const isNamed = twin in TWINS && fields in FIELDS && mismatch in MISMATCHES
  const isStory = Number.isInteger(asked) && Array.isArray(actions) && sendings?.length > 0 && isKnown && isNamed
  if ((json as StoryFile | null)?.edgetill_story === 1 && isStory) return story
  throw new ProveError('story: must be the file that `edgetill prove` wrote for a finding.')
}
