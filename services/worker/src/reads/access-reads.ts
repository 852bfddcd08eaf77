// Reads the access of readers for reads of single nodes. While one read of a reader's access is in
// progress, their further ones wait and share the next. It begins after each of them, so it misses
// nothing that was committed before they arrived. Rules: ACL7, EVT4.
import type { Reader } from '@taskgraph/domain/state/state';
import type { ReaderAccess } from '@taskgraph/graph-store/reads/reader';

/** Rejects as the read does, for all who share it. */
export type ReadAccess = (reader: Reader) => Promise<ReaderAccess>;

interface ReadInProgress {
  /** Fulfilled when the read has ended, whatever its outcome. */
  readonly end: Promise<void>;
  /** The read after it, if somebody waits. */
  next: Promise<ReaderAccess> | null;
}

/** At most one read of a reader is in progress. `read` reads the access at the moment of its call. */
export function createAccessReads(read: ReadAccess): ReadAccess {
  const inProgress = new Map<string, ReadInProgress>();

  function start(key: string, reader: Reader): Promise<ReaderAccess> {
    const outcome = read(reader);
    const current: ReadInProgress = { end: outcome.then(nothing, nothing), next: null };
    inProgress.set(key, current);
    void current.end.then(() => {
      if (current.next === null) inProgress.delete(key);
    });
    return outcome;
  }

  return (reader) => {
    const key = JSON.stringify([reader.id, reader.email]);
    const current = inProgress.get(key);
    if (current === undefined) return start(key, reader);
    current.next ??= current.end.then(() => start(key, reader));
    return current.next;
  };
}

function nothing(): void {}
