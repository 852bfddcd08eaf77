// Publications by their tokens. Rules: PUB2, PUB3, ACL5.
import { branchFeed, nodeFeed } from '@taskgraph/wire/feeds';
import type { Database } from '../driver/database.ts';
import { type FeedHead, readHeads } from './feeds.ts';

/** A publication that is currently valid for every holder of its token. */
export interface Publication extends FeedHead {
  readonly token: string;
  readonly nodeId: string;
  readonly due: string | null;
}

/** In: tokens. Out: nodeId. Locks: none. Cost: one index look-up each. */
const FIND_PUBLISHED = 'UNWIND $tokens AS token MATCH (n:Node {publicToken: token}) RETURN n.id AS nodeId';

/**
 * In: tokens, now. Out: token, nodeId, branch, due of the valid ones. Locks: none. Cost: one index
 * look-up each.
 */
const JUDGE_PUBLISHED = `
UNWIND $tokens AS token
MATCH (n:Node {publicToken: token})
WHERE n.inTrash = false AND (n.publicDue IS NULL OR n.publicDue > $now)
RETURN token, n.id AS nodeId, coalesce(n.publicBranch, true) AS branch, n.publicDue AS due`;

/**
 * The publications of these tokens; unknown, expired, trashed and ended ones are omitted alike.
 * Heads are read before the check, so that a subscription verified by it has an epoch that is no
 * newer.
 */
export async function readPublications(
  database: Database,
  tokens: readonly string[],
  now: string,
): Promise<Publication[]> {
  const sought = [...new Set(tokens)];
  const found = await database.read(FIND_PUBLISHED, { tokens: sought });
  const feeds = found.flatMap(({ nodeId }) => [branchFeed(nodeId as string), nodeFeed(nodeId as string)]);
  if (feeds.length === 0) return [];
  const heads = new Map((await readHeads(database, feeds)).map((head) => [head.feed, head]));
  const judged = await database.read(JUDGE_PUBLISHED, { tokens: sought, now });
  return judged.flatMap((row) => {
    const { token, nodeId, branch, due } = row as {
      token: string;
      nodeId: string;
      branch: boolean;
      due: string | null;
    };
    const head = heads.get(branch ? branchFeed(nodeId) : nodeFeed(nodeId));
    return head === undefined ? [] : [{ ...head, token, nodeId, due }];
  });
}
