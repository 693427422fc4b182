// How many of an area's changes have to be noticed: as many as before.

/** The result of a run for an area. */
export interface Score {
  killed: number
  survived: number
  /** Those that were not played, and those that are equivalent, included. */
  total: number
}

/**
 * The share of the changes that has to be noticed, where `played` of an area are played. Where it or the score is of a part of
 * the area, chance has decided which: three standard deviations are allowed.
 */
export function shareWanted({ killed, survived, total }: Score, played: number): number {
  const known = killed + survived
  const isPart = (count: number): boolean => count < total * WHOLE
  // Of a few, all may have been noticed by chance.
  const likely = isPart(known) ? (killed + 1) / (known + 2) : killed / known
  const variance = (count: number): number => (isPart(count) ? (likely * (1 - likely)) / count : 0)
  // 0 if nothing was measured.
  return Math.max(0, (known && killed / known) - 3 * Math.sqrt(variance(known) + variance(played)))
}

/** Of a whole area some are equivalent, and not played. */
const WHOLE = 0.8
