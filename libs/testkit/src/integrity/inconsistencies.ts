// Searches the stored data for inconsistencies: wrong counters, an id in two places, a link to a
// trashed node.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { findMembershipFaults, type ReadStatement } from './memberships.ts';

/**
 * In: the ids of owners. Each statement inspects their entities and returns the ids of the
 * inconsistent ones.
 */
const CHECKS: Readonly<Record<string, string>> = {
  'a blocker count is wrong': `
    MATCH (n:Node) WHERE n.ownerId IN $owners
    WITH n, COUNT { (n)<-[:BLOCKS]-(s:Node) WHERE s.status <> 3 } AS open
    WHERE n.openBlockers <> open RETURN n.id AS id`,
  'a status disagrees with the blockers': `
    MATCH (n:Node {inTrash: false}) WHERE n.ownerId IN $owners
      AND (n.status = 2) <> (NOT n.independent AND n.openBlockers > 0) RETURN n.id AS id`,
  'a Blocked node lacks the status before, or another node has one': `
    MATCH (n:Node) WHERE n.ownerId IN $owners
      AND (n.status = 2) <> (n.statusBefore IS NOT NULL) RETURN n.id AS id`,
  'a node that is not Completed has a time of completion': `
    MATCH (n:Node) WHERE n.ownerId IN $owners AND n.status <> 3 AND n.completedTime IS NOT NULL RETURN n.id AS id`,
  'a node that is not in progress has a claim, or a claim is not whole': `
    MATCH (n:Node) WHERE n.ownerId IN $owners
      AND (n.claimId IS NOT NULL OR n.claimedBy IS NOT NULL OR n.claimUntil IS NOT NULL OR n.claimerId IS NOT NULL)
      AND (n.inTrash OR coalesce(n.statusBefore, n.status) <> 1 OR n.claimId IS NULL OR n.claimedBy IS NULL
        OR n.claimUntil IS NULL OR n.claimerId IS NULL) RETURN n.id AS id`,
  'a link has two relationships': `
    MATCH (n:Node)-[r:BLOCKS|RELATES|TRASHED]->(:Node) WHERE n.ownerId IN $owners
    WITH r.id AS id, count(*) AS times WHERE times > 1 RETURN id`,
  'a relationship is of the wrong type': `
    MATCH (n:Node)-[r:BLOCKS|RELATES]->(:Node) WHERE n.ownerId IN $owners
      AND (type(r) = 'BLOCKS') <> (r.type = 0) RETURN r.id AS id`,
  'an active link has an end in the trash': `
    MATCH (n:Node {inTrash: true})-[r:BLOCKS|RELATES]-() WHERE n.ownerId IN $owners RETURN DISTINCT r.id AS id`,
  'primary links close a cycle': `
    MATCH (n:Node)-[r:BLOCKS]->(b:Node) WHERE n.ownerId IN $owners
      AND EXISTS { (b)-[:BLOCKS]->{1,6}(n) } RETURN r.id AS id`,
  'the owners stored on a link are not those of its ends': `
    MATCH (n:Node)-[r:BLOCKS|RELATES|TRASHED]->(b:Node) WHERE n.ownerId IN $owners
      AND (r.sourceOwnerId <> n.ownerId OR r.targetOwnerId <> b.ownerId) RETURN r.id AS id`,
  'a grant counts for a user other than the owner of its node': `
    MATCH ()-[g:GRANT]->(n:Node) WHERE n.ownerId IN $owners AND g.ownerId <> n.ownerId RETURN g.key AS id`,
  'two active links connect the same nodes': `
    MATCH (n:Node)-[r:BLOCKS|RELATES]-(b:Node) WHERE n.ownerId IN $owners AND n.id <> b.id AND NOT r.private
    WITH n, b, count(*) AS times WHERE times > 1 RETURN n.id AS id`,
  'a feed has a gap or a number twice': `
    MATCH (n:Feed) WHERE n.ownerId IN $owners
    CALL (n) {
      MATCH (e:Entry {feed: n.id}) WHERE e.seq > 0 RETURN e.seq AS seq
      UNION ALL
      MATCH (b:Batch {feed: n.id}) WHERE b.seq > 0 RETURN b.seq AS seq
    }
    WITH n, count(*) AS entries, count(DISTINCT seq) AS numbers, max(seq) AS newest
    WHERE entries <> numbers OR numbers <> newest - n.first + 1 OR newest <> n.seq RETURN n.id AS id`,
  'a blocking link is not marked as such': `
    MATCH (n:Node)-[r:BLOCKS]->(t:Node) WHERE n.ownerId IN $owners
      AND n.status <> 3 AND NOT t.independent AND NOT r.wasBlocker RETURN r.id AS id`,
};

/** A statement on all data takes longer than the server's default limit. */
const LOOK_MS = 60_000;
/** In this form the statement uses the index of pages. */
const NODES_OF = "n.ownerId IN $owners AND n.inTrash IN [true, false] AND n.id > ''";

/**
 * All inconsistencies of these owners' entities, as `what: id`; without owners, of the whole
 * database while no writer is active.
 */
export async function findInconsistencies(database: Database, of: readonly string[] | 'everybody'): Promise<string[]> {
  const scopeOf = (cypher: string) => (cypher.includes('(n:Node') ? NODES_OF : 'n.ownerId IN $owners');
  const read: ReadStatement = async (cypher) => {
    const scope = of === 'everybody' ? 'true' : scopeOf(cypher);
    const transaction = database.begin(LOOK_MS);
    try {
      return await transaction.run(cypher.replace('n.ownerId IN $owners', scope), { owners: of });
    } finally {
      await transaction.rollback();
    }
  };
  const found: string[] = [];
  for (const [what, cypher] of Object.entries(CHECKS)) {
    const rows = await read(`${cypher} LIMIT 10`);
    found.push(...rows.map(({ id }) => `${what}: ${String(id)}`));
  }
  return [...found, ...(await findMembershipFaults(read))];
}
