// The same cascades as the pure test, through locks, loads and writes of a real Neo4j.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { runs } from '@taskgraph/testkit/runs';
import {
  type CascadeAnswer,
  type CascadeSubject,
  cascadeSteps,
  compareCascades,
  compareTogether,
} from '@taskgraph/testkit/world/cascade-model';
import type { Diff } from '@taskgraph/wire/entities';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

async function storedSubject(): Promise<CascadeSubject> {
  const worker = startTestWorker(database);
  const user = await makeUser(database);
  let state = { nodes: new Map<string, never>(), links: new Map<string, never>() };
  return {
    async call(event, payload): Promise<CascadeAnswer> {
      const reply = await worker.send(user, event, payload);
      if (!reply.ok) return { error: reply.error };
      return { error: null, diff: reply.body.diff as Diff };
    },
    async refresh() {
      state = await readAll(user.id);
    },
    node: async (id) => state.nodes.get(id) as never,
    link: async (id) => state.links.get(id) as never,
  };
}

async function readAll(ownerId: string) {
  const nodes = await database.read('MATCH (n:Node {ownerId: $ownerId}) RETURN n.id AS id, properties(n) AS node', {
    ownerId,
  });
  const links = await database.read(
    `MATCH (a:Node {ownerId: $ownerId})-[r]->(b:Node)
     RETURN r.id AS id, properties(r) AS link, type(r) = 'TRASHED' AS inTrash, a.id AS source, b.id AS target`,
    { ownerId },
  );
  return {
    nodes: new Map(nodes.map(({ id, node }) => [id as string, node as never])),
    links: new Map(links.map(({ id, link, ...rest }) => [id as string, { ...(link as object), ...rest } as never])),
  };
}

test('[BLK1 BLK2 BLK3 BLK4 BLK5 BLK6 BLK7 BLK9 BLK10 LNK4 LNK5 LNK6 LNK10 TRS1 TRS3 TRS4 TRS5] stored cascades and the trash agree with brute force', async () => {
  await fc.assert(
    fc.asyncProperty(cascadeSteps, async (steps) => compareCascades(steps, await storedSubject())),
    // The reference model does the same at length (proof).
    { numRuns: runs(8) },
  );
  expect(await findInconsistencies(database)).toEqual([]);
});

test('[GEN12 BLK5 LNK4 LNK5 TRS3] commands that share a group come out as one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(cascadeSteps, cascadeSteps, async (setup, steps) =>
      compareTogether(setup, steps, await storedSubject()),
    ),
    // The reference model does the same at length (proof).
    { numRuns: runs(8) },
  );
  expect(await findInconsistencies(database)).toEqual([]);
});

test('[LNK10] a link is trashed, restored, reversed, changed and deleted by itself', async () => {
  const node = { kind: 'add' as const, parent: null, status: 0 as const, independent: false };
  const link = (kind: 'trash' | 'restoreLink' | 'swap' | 'deleteLink') => ({ kind, link: 0 });
  const type = (to: 0 | 1) => ({ kind: 'updateLink' as const, link: 0, type: to });
  const made = [node, node, { kind: 'link' as const, source: 0, target: 1, type: 0 as const }];
  const life = [link('trash'), link('restoreLink'), link('swap'), type(1), type(0), link('trash'), link('deleteLink')];
  await compareCascades([...made, ...life, link('restoreLink')], await storedSubject());
  expect(await findInconsistencies(database)).toEqual([]);
});
