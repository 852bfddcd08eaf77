// How a page of the graph is answered: as it was made before, or made anew and kept. Rules: ACL7, EVT3.

import { readRevisions } from '@taskgraph/graph-store/reads/owners';
import type { ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import type { ActingUser } from '@taskgraph/wire/messages';
import type { Body, ReadEnvironment } from '../reading.ts';
import { MadePage, type PageQuestion } from './page-cache.ts';
import { jsonPieces } from './page-json.ts';

interface Asked extends Pick<PageQuestion, 'key' | 'access'> {
  /** The reader, where they have an account; else their public token. */
  readonly reader: ReaderAccess | string;
  /** The reader's rights as they were when their access was read, and as they are now (`readRights`). */
  readonly rights: string;
  readonly rightsNow: () => Promise<string>;
}

/** Most owners whose revisions are read before anything is known of a page. */
const EXPECTED_OWNERS = 100;

class RightsMoved extends Error {}

/**
 * Gives a page; null where the reader's rights moved while it was made. `make` reads it, and says whose things it shows. One that was kept is
 * of a time when nothing of what it shows had changed yet, a grant or a publication included, so that there is nothing to ask again.
 */
export async function keptPage(
  { kept, database }: ReadEnvironment,
  { key, access, reader, rights, rightsNow }: Asked,
  make: () => Promise<{ readonly body: Body; readonly owners: ReadonlySet<string> }>,
): Promise<MadePage | null> {
  const made = async () => {
    const { body, owners } = await make();
    if ((await rightsNow()) !== rights) throw new RightsMoved();
    return { pieces: await jsonPieces(body), owners };
  };
  const user = typeof reader === 'string' ? null : reader;
  const known = new Map(user === null || user.revision === null ? [] : [[user.readerId, user.revision]]);
  const revisions = async (owners: readonly string[]) => {
    const others = owners.filter((id) => !known.has(id));
    return new Map([...known, ...(await readRevisions(database, others))]);
  };
  try {
    if (kept === undefined) return new MadePage((await made()).pieces);
    const holder = typeof reader === 'string' ? reader : reader.readerId;
    const owners = user === null ? [] : user.owners.slice(0, EXPECTED_OWNERS);
    return await kept.get({ reader: holder, key, access, owners, revisions, make: made });
  } catch (error) {
    if (error instanceof RightsMoved) return null;
    throw error;
  }
}

/** The access of a user as far as it says what a page shows them. */
export function accessKey(
  { id, username, email }: ActingUser,
  { levels, shown, guests, isShownCut }: ReaderAccess,
): unknown {
  return { id, username, email, levels: [...levels].sort(), shown, guests, isShownCut };
}
