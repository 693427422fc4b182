import type { Cause } from './causes.ts'
import type { ProveState } from './options.ts'
import type { StoryStep } from './run.ts'
import type { StoryFile } from './story-file.ts'

/** Something wrong with a receiver: what it does to money, and the smallest story that shows it. */
export interface ProveFinding {
  /** What happened to money: "shipped twice", "paid but not shipped", "refund lost", "a forgery was believed", … */
  verdict: string
  /** What is wrong with the receiver, in a word. */
  cause: Cause
  /** The same in a sentence, and what to do about it. */
  advice: string
  /** How many of the orders failed in this way, about. */
  orders: number
  /** The order of the story below, to be looked up in the shop. */
  order_id: string
  /** What it should be, in units of the currency. */
  expected: ProveState
  /** What the shop says; null when it knows no such order. */
  seen: ProveState | null
  story: StoryStep[]
  /** The same story as a file's contents, which `story` plays again. Undefined for a button. */
  file?: StoryFile
}

/** The result of `prove`. */
export interface ProveReport {
  /** The receiver. */
  url: string
  seed: number
  /** Orders that were played, without those of shrinking. */
  orders: number
  /** Requests that the receiver got for them. */
  requests: number
  /** How often each attack was tried. */
  tried: Record<string, number>
  /** What could not be tried, and why. */
  leftOut: string[]
  /** Nothing found: empty. */
  findings: ProveFinding[]
}
