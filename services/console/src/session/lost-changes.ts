// The changes that are lost with the copy on this device. A change has one key in all tabs: one that another
// tab has taken over, or tries again, counts once.
import type { FallbackStorage, Replica } from '@taskgraph/client';
import { errorText } from '../error-text.ts';

export interface LostCounts {
  readonly unsent: number;
  readonly refused: number;
}

/** `others`: the stored commands and refusals of the other tabs. */
export function countLost(
  replica: Pick<Replica, 'commands' | 'refusals'>,
  others: ReadonlyMap<string, unknown>,
): LostCounts {
  const keysOf = (prefix: string, own: readonly { readonly key: string }[]) => {
    const stored = [...others].filter(([place]) => place.startsWith(prefix));
    return new Set([...own.map(({ key }) => key), ...stored.map(([, each]) => (each as { key: string }).key)]);
  };
  const unsent = keysOf('command/', replica.commands());
  const refused = [...keysOf('refused/', replica.refusals())].filter((key) => !unsent.has(key));
  return { unsent: unsent.size, refused: refused.length };
}

/** The changes of all tabs that are deleted with the copy. */
export interface LostChanges extends LostCounts {
  /** Why those of other tabs could not be read; null if they are counted. */
  readonly unread: string | null;
}

/** Null if there are certainly none. */
export async function findLostChanges(replica: Replica, copy: FallbackStorage): Promise<LostChanges | null> {
  let others: ReadonlyMap<string, unknown> = new Map();
  let unread: string | null = null;
  try {
    others = await copy.entriesOfOthers();
  } catch (error) {
    unread = errorText(error);
  }
  const counts = countLost(replica, others);
  return counts.unsent + counts.refused === 0 && unread === null ? null : { ...counts, unread };
}
