import type { Judgement } from './judgement.ts'
import type { Project } from './project.ts'

/** Something that is assumed of the service. */
export interface Statement {
  id: string
  /** The assumption, as a sentence. */
  says: string
  /** Where it is assumed: a sentence of the README, or the place in the package. */
  assumed: string
  /** The option, flag or call that follows the service where it differs. */
  follow: string
}

/** The needs of a story beside the credentials. */
export type Need = 'card' | 'subMerchant' | 'apiUrl' | 'webhooks' | 'payByHand'

/** A statement with the judge of what its story has seen. */
type Judged<Seen> = Statement & { judge(seen: Seen): Judgement }

/** A few calls, and the statements that they decide: done as a whole, or again after an interruption. */
export interface Story {
  id: string
  needs: readonly Need[]
  statements: readonly Statement[]
  /** One judgement for each statement. */
  play(project: Project): Promise<Judgement[]>
}

/** Puts a story together; its statements judge what `calls` returns. */
export function story<Seen>(
  id: string,
  needs: readonly Need[],
  calls: (project: Project) => Promise<Seen>,
  statements: readonly Judged<Seen>[],
): Story {
  return {
    id,
    needs,
    statements,
    async play(project) {
      const seen = await calls(project)
      return statements.map(({ judge }) => judge(seen))
    },
  }
}
