// Answers a page of the graph from the cache, or computes and caches it. Rules: ACL7, EVT3.
import { readRevisions } from '@taskgraph/graph-store/reads/owners';
import type { ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import type { ActingUser } from '@taskgraph/wire/actor';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { type Selection, selectFields } from '../field-selection.ts';
import type { Body, ReadEnvironment } from '../read-handler.ts';
import { hasEnded } from '../stable-access.ts';
import { CachedPage, type PageForm, type PageRequest } from './page-cache.ts';
import { jsonPieces } from './page-json.ts';

interface CachedPageRequest extends Pick<PageRequest, 'key' | 'access'> {
  /** The reader if they have an account, otherwise their public token. */
  readonly reader: ReaderAccess | string;
  /** The reader's rights when their access was read, and now (`readRights`). */
  readonly rights: string;
  readonly rightsNow: () => Promise<string>;
  readonly fields: Selection;
}

/** Most owners whose revisions are read for a page that is not cached. */
const EXPECTED_OWNERS = 100;

const PLAIN: PageForm = { acceptsCompressed: false, etags: [] };

class RightsChanged extends Error {}

/** Thrown if the page turns out to be refused. */
class PageRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

/** A computed page. Without owners it is not cached. */
interface MadePage {
  readonly body: Body;
  readonly owners: ReadonlySet<string> | null;
}

/**
 * Returns a page, or null if the reader's rights changed while it was computed. `make` computes it
 * and names the owners of its entities. A cached page needs no second check of the rights: it is
 * valid only while nothing that it shows has changed, grants and publications included.
 */
export function cachedPage(
  environment: ReadEnvironment,
  request: CachedPageRequest,
  make: () => Promise<MadePage>,
): Promise<CachedPage | null>;
export function cachedPage(
  environment: ReadEnvironment,
  request: CachedPageRequest,
  make: () => Promise<MadePage | Refusal | null>,
): Promise<CachedPage | Refusal | null>;
export async function cachedPage(
  environment: ReadEnvironment,
  { key, access, reader, rights, rightsNow, fields }: CachedPageRequest,
  make: () => Promise<MadePage | Refusal | null>,
): Promise<CachedPage | Refusal | null> {
  const { pageCache, database, form = PLAIN } = environment;
  const user = typeof reader === 'string' ? null : reader;
  const compute = async () => {
    const page = await make();
    if (page === null) throw new RightsChanged();
    if (isRefusal(page)) throw new PageRefused(page);
    const { body, owners } = page;
    if ((await rightsNow()) !== rights) throw new RightsChanged();
    if (user !== null && hasEnded(user, environment)) throw new RightsChanged();
    return { pieces: await jsonPieces(selectFields(body, fields)), owners };
  };
  const known = new Map(user === null || user.revision === null ? [] : [[user.readerId, user.revision]]);
  const revisions = async (owners: readonly string[]) => {
    const others = owners.filter((id) => !known.has(id));
    return new Map([...known, ...(await readRevisions(database, others))]);
  };
  try {
    if (pageCache === undefined) return await CachedPage.of((await compute()).pieces, form);
    const holder = typeof reader === 'string' ? reader : reader.readerId;
    const owners = user === null ? [] : user.owners.slice(0, EXPECTED_OWNERS);
    const request = { reader: holder, key: keyWith(key, fields), access, owners, ...form };
    return await pageCache.get({ ...request, revisions, make: compute });
  } catch (error) {
    if (error instanceof RightsChanged) return null;
    if (error instanceof PageRefused) return error.refusal;
    throw error;
  }
}

/** The same fields in another order are the same page. */
function keyWith(key: PageRequest['key'], fields: Selection): PageRequest['key'] {
  return fields === undefined ? key : [key, [...new Set(fields)].sort()];
}

/** The part of a user's access that decides what a page shows. */
export function accessKey(
  { id, username, email }: ActingUser,
  { levels, shown, guests, shownTruncated }: ReaderAccess,
): unknown {
  return { id, username, email, levels: [...levels].sort(), shown, guests, shownTruncated };
}
