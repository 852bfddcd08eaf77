// Projects, sections and milestones of other programs: each becomes a task that waits for those in it.
import type { Loose } from './fitting.ts';
import type { TransferLink } from './model.ts';

/** A link by which the source blocks the target. */
export function blocks(source: string, target: string): TransferLink {
  return { source, target, type: 0, private: false };
}

/** A link that tells of the two and blocks neither. */
export function relates(source: string, target: string): TransferLink {
  return { source, target, type: 1, private: false };
}

/** A group is completed when all in it are; one without tasks is not. */
export function groupStatus(tasks: readonly Pick<Loose, 'status'>[]): 0 | 3 {
  return tasks.length > 0 && tasks.every(({ status }) => status === 3) ? 3 : 0;
}
