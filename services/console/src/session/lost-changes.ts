// The changes that are lost with the copy on this device. A change has one key in all tabs: one that another
// tab has taken over, or tries again, counts once.
import type { Replica } from '@taskgraph/client';

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
