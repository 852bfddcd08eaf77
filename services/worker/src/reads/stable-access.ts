// Reads of several statements, between which the reader's access may end. Rules: ACL7, PUB3.
import type { Reader } from '@taskgraph/domain/state/state';
import { readRevision } from '@taskgraph/graph-store/accounts/users';
import { type Publication, readPublications } from '@taskgraph/graph-store/reads/publications';
import { type ReaderAccess, readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { withAccessOn } from '@taskgraph/graph-store/reads/visible';
import type { ReadMessage } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { anyId } from '@taskgraph/wire/ids';
import { nowOf, type ReadAttempt, type ReadEnvironment, type ReadHandler } from './read-handler.ts';

/**
 * Attempts of a read before it is refused. Each fails only if the reader's access changes
 * meanwhile.
 */
const MAXIMUM_ATTEMPTS = 4;

/** Repeats a read while it returns null, because the reader's access changed. */
export function retryWhileAccessChanges(read: ReadAttempt): ReadHandler {
  return async (message, environment) => {
    for (let attempt = 0; attempt < MAXIMUM_ATTEMPTS; attempt++) {
      const body = await read(message, environment);
      if (body !== null) return body;
    }
    return refuse('unavailable', 'Your access keeps changing; try again.');
  };
}

/**
 * Repeats a read if the reader's access changed during it: it may have returned content that was
 * written after the grant that allowed the read had ended. The end of a grant changes nothing
 * stored until a job deletes the grant, so it is compared with the clock.
 */
export function withStableAccess(read: ReadHandler): ReadHandler {
  return retryWhileAccessChanges(async (message, environment) => {
    const accesses: ReaderAccess[] = [];
    const before = await readRights(message, environment);
    const body = await read(message, { ...environment, onAccess: (access) => accesses.push(access) });
    const isStable = (await readRights(message, environment)) === before;
    return isStable && !accesses.some((access) => hasEnded(access, environment)) ? body : null;
  });
}

/** Whether a grant of this access is no longer in force. */
export function hasEnded({ end }: Pick<ReaderAccess, 'end'>, environment: Pick<ReadEnvironment, 'nowMs'>): boolean {
  return end.hasPassed(nowOf(environment));
}

/**
 * The present access of a reader, complete with the grants on these nodes. Every read whose content
 * depends on the access reads it here, so that `withStableAccess` knows it.
 */
export async function readPresentAccess(
  environment: ReadEnvironment,
  reader: Reader,
  ids: Iterable<string> = [],
): Promise<ReaderAccess> {
  const { database, onAccess } = environment;
  const access = await readReaderAccess(database, reader, nowOf(environment));
  onAccess?.(access);
  return withAccessOn(database, access, ids);
}

/**
 * A text that changes whenever the reader loses access: the revision of their e-mail, and the
 * publication of their token.
 */
export async function readRights({ actor, payload }: ReadMessage, environment: ReadEnvironment): Promise<string> {
  const { database } = environment;
  const root = typeof payload.root === 'string' && !anyId.safeParse(payload.root).success ? payload.root : null;
  const [revision, publications] = await Promise.all([
    actor === null ? null : readRevision(database, actor.email),
    root === null ? [] : readPublications(database, [root], nowOf(environment)),
  ]);
  return rightsOf(revision, publications);
}

/** The same from values that the read itself has loaded. */
export function rightsOf(revision: number | null, publications: readonly Publication[]): string {
  return JSON.stringify([revision, publications.map(({ feed, epoch }) => [feed, epoch])]);
}
