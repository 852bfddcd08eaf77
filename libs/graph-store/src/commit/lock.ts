// Locks the owners that a group of commands concerns. Later statements read everything that
// decides.
import type { LockedUser } from '@taskgraph/domain/state/state';
import { integer } from '../driver/codec.ts';
import type { OpenTransaction } from '../driver/database.ts';

/** The owners to lock: users by id, and the owners of nodes and of the ends of links. */
export interface LockRequest {
  readonly users: readonly string[];
  /** Nodes with unknown owners. An owner never changes, so look it up before the lock. */
  readonly nodes: readonly string[];
  /** Links with unknown ends. */
  readonly links: readonly string[];
  /**
   * E-mails whose grants the group writes. Their Principals are locked after the users, so that all
   * groups lock in one order.
   */
  readonly emails: readonly string[];
}

/** A locked e-mail and its user. */
export interface LockedPrincipal {
  readonly email: string;
  readonly userId: string | null;
}

/**
 * In: users, nodes, links (ids). Out: one row per user, see LockedUser. Locks: those users, in id
 * order, so that crossing groups queue instead of deadlocking. Cost: proportional to the ids given.
 *
 * The write comes before every read: Neo4j is read-committed, and `MATCH ... WHERE ... SET` loses
 * updates.
 */
const LOCK_OWNERS = `
CALL () {
  UNWIND $in.users AS owner RETURN owner
  UNION
  UNWIND $in.emails AS email MATCH (p:Principal {email: email}) WHERE p.userId IS NOT NULL RETURN p.userId AS owner
  UNION
  UNWIND $in.nodes AS id MATCH (n:Node {id: id}) RETURN n.ownerId AS owner
  UNION
  UNWIND $in.links AS id MATCH (a)-[r:BLOCKS {id: id}]->(b) USING INDEX SEEK r:BLOCKS(id) UNWIND [a.ownerId, b.ownerId] AS owner RETURN owner
  UNION
  UNWIND $in.links AS id MATCH (a)-[r:RELATES {id: id}]->(b) USING INDEX SEEK r:RELATES(id) UNWIND [a.ownerId, b.ownerId] AS owner RETURN owner
  UNION
  UNWIND $in.links AS id MATCH (a)-[r:TRASHED {id: id}]->(b) USING INDEX SEEK r:TRASHED(id) UNWIND [a.ownerId, b.ownerId] AS owner RETURN owner
}
WITH DISTINCT owner ORDER BY owner
MATCH (u:User {id: owner})
SET u.lock = true
WITH u
MATCH (f:Feed {id: 'user:' + u.id})
RETURN u.id AS id, u.username AS username, u.email AS email, u.rev AS rev, u.lastTs AS lastTs, f.seq AS seq, f.epoch AS epoch`;

/**
 * In: emails, zero. Out: one row an e-mail, see LockedPrincipal. Locks: their Principals, in order;
 * absent ones are created. Cost: one index look-up each.
 */
const LOCK_PRINCIPALS = `
UNWIND $emails AS email
MERGE (p:Principal {email: email}) ON CREATE SET p.rev = $zero
SET p.lock = true
RETURN p.email AS email, p.userId AS userId`;

/** Locks e-mails, after the users. */
export async function lockPrincipals(
  transaction: OpenTransaction,
  emails: readonly string[],
): Promise<LockedPrincipal[]> {
  if (emails.length === 0) return [];
  const rows = await transaction.run(
    LOCK_PRINCIPALS,
    { emails: [...emails].sort(), zero: integer(0) },
    'LOCK_PRINCIPALS',
  );
  return rows as unknown as LockedPrincipal[];
}

/**
 * Locks the owners and reads them. Fails with the server's lock time-out if a lock is unavailable.
 */
export async function lockOwners(transaction: OpenTransaction, request: LockRequest): Promise<LockedUser[]> {
  const rows = await transaction.run(LOCK_OWNERS, { in: { ...request } }, 'LOCK_OWNERS');
  return rows as unknown as LockedUser[];
}
