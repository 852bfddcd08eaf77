// Looks through the whole database for what may never be: counters that are off, an id in two places, a link to the trash.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { findMembershipFaults } from './memberships.ts';

const CHECKS: Readonly<Record<string, string>> = {
  'a blocker count is off': `
    MATCH (n:Node)
    WITH n, COUNT { (n)<-[:BLOCKS]-(s:Node) WHERE s.status <> 3 } AS open
    WHERE n.openBlockers <> open RETURN n.id AS id`,
  'a status disagrees with the blockers': `
    MATCH (n:Node {inTrash: false})
    WHERE (n.status = 2) <> (NOT n.independent AND n.openBlockers > 0) RETURN n.id AS id`,
  'a node is Blocked without the status before, or keeps one for nothing': `
    MATCH (n:Node) WHERE (n.status = 2) <> (n.statusBefore IS NOT NULL) RETURN n.id AS id`,
  'a link has two relationships': `
    MATCH (:Node)-[r:BLOCKS|RELATES|TRASHED]->(:Node)
    WITH r.id AS id, count(*) AS times WHERE times > 1 RETURN id`,
  'a relationship is of the wrong type': `
    MATCH (:Node)-[r:BLOCKS|RELATES]->(:Node) WHERE (type(r) = 'BLOCKS') <> (r.type = 0) RETURN r.id AS id`,
  'an active link hangs on a node in the trash': `
    MATCH (:Node {inTrash: true})-[r:BLOCKS|RELATES]-() RETURN DISTINCT r.id AS id`,
  'primary links close a cycle': `
    MATCH (a:Node)-[r:BLOCKS]->(b:Node) WHERE EXISTS { (b)-[:BLOCKS]->{1,6}(a) } RETURN r.id AS id`,
  'the owners noted on a link are not those of its ends': `
    MATCH (a:Node)-[r:BLOCKS|RELATES|TRASHED]->(b:Node)
    WHERE r.sourceOwnerId <> a.ownerId OR r.targetOwnerId <> b.ownerId RETURN r.id AS id`,
  'a grant counts for another than the owner of its node': `
    MATCH ()-[g:GRANT]->(n:Node) WHERE g.ownerId <> n.ownerId RETURN g.key AS id`,
  'two active links stand between two nodes': `
    MATCH (a:Node)-[r:BLOCKS|RELATES]-(b:Node) WHERE a.id < b.id AND NOT r.private
    WITH a, b, count(*) AS times WHERE times > 1 RETURN a.id AS id`,
  'a feed has a hole or a number twice': `
    MATCH (e:Entry) WITH e.feed AS feed, count(*) AS entries, count(DISTINCT e.seq) AS numbers, max(e.seq) AS newest
    MATCH (f:Feed {id: feed})
    WHERE entries <> numbers OR numbers <> newest - f.first + 1 OR newest <> f.seq RETURN feed AS id`,
  'a blocking link was never marked as such': `
    MATCH (s:Node)-[r:BLOCKS]->(t:Node) WHERE s.status <> 3 AND NOT t.independent AND NOT r.wasBlocker RETURN r.id AS id`,
};

/** Everything that is wrong, as `what: id`. */
export async function findInconsistencies(database: Database): Promise<string[]> {
  const found: string[] = [];
  for (const [what, cypher] of Object.entries(CHECKS)) {
    const rows = await database.read(`${cypher} LIMIT 10`, {});
    found.push(...rows.map(({ id }) => `${what}: ${String(id)}`));
  }
  return [...found, ...(await findMembershipFaults(database))];
}
