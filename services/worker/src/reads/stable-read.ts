// Reads that take several statements, while access may be taken away between them. Rules: ACL7, PUB3.

import { readRevision } from '@taskgraph/graph-store/accounts/users';
import { type Publication, readPublications } from '@taskgraph/graph-store/reads/publications';
import { refuse } from '@taskgraph/wire/errors';
import { anyId } from '@taskgraph/wire/ids';
import type { ReadMessage } from '@taskgraph/wire/messages';
import { nowOf, type ReadEnvironment, type Reading, type Trying } from './reading.ts';

/** A read is begun anew this often before it is refused: the reader's rights would have to change each time. */
const MAXIMUM_TRIES = 4;

/** The same reading, begun anew where the reader's rights moved meanwhile. */
export function untilSteady(read: Trying): Reading {
  return async (message, environment) => {
    for (let attempt = 0; attempt < MAXIMUM_TRIES; attempt++) {
      const body = await read(message, environment);
      if (body !== null) return body;
    }
    return refuse('unavailable', 'Your access keeps changing; try again.');
  };
}

/**
 * The same reading, but not answered where the reader's rights moved meanwhile: what was judged by a grant that is gone may have been
 * written after it was taken away. It begins anew then.
 */
export function steadily(read: Reading): Reading {
  return untilSteady(async (message, environment) => {
    const before = await readRights(message, environment);
    const body = await read(message, environment);
    return (await readRights(message, environment)) === before ? body : null;
  });
}

/** Something that differs whenever a right was taken from the reader: the revision of their e-mail, and the publication of their token. */
export async function readRights({ actor, payload }: ReadMessage, environment: ReadEnvironment): Promise<string> {
  const { database } = environment;
  const root = typeof payload.root === 'string' && !anyId.safeParse(payload.root).success ? payload.root : null;
  const [revision, publications] = await Promise.all([
    actor === null ? null : readRevision(database, actor.email),
    root === null ? [] : readPublications(database, [root], nowOf(environment)),
  ]);
  return rightsOf(revision, publications);
}

/** The same of what was read already, before anything was judged by it. */
export function rightsOf(revision: number | null, publications: readonly Publication[]): string {
  return JSON.stringify([revision, publications.map(({ feed, epoch }) => [feed, epoch])]);
}
