// Races of two workers with a forced order. With locks each race has the outcome of a serial order;
// without them the same race breaks the rule.

import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { Diff } from '@taskgraph/wire/entities';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, openTestDatabase } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';
import { command, expectBroken, expectKept, type Move, type Race, type Side, withoutLocks } from './support/race.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

/** `firsts`: the side that must be first so that the rule breaks without locks. */
async function expectLockNeeded(race: Race, firsts: readonly Side[] = ['one', 'other']): Promise<void> {
  await expectKept(database, race);
  await expectBroken(database, race, { without: withoutLocks, firsts });
}

/** The statement that looks for a node in the feed's entries. */
function toldOf(node: string): string {
  return `RETURN EXISTS { (e:Entry {feed: $feed}) WHERE ${node} IN e.nodes }
    OR EXISTS { (b:Batch {feed: $feed}) WHERE ${node} IN b.nodes } AS told`;
}

/** Whether the answer contains a change of the node. */
function tellsOf(reply: ReplyMessage, node: string): boolean {
  return reply.ok && (reply.body.diff as Diff).nodes.some(({ after }) => after.id === node);
}

test('[BLK1 BLK2 BLK5 LNK9] a private blocker is added while the last visible one completes', () =>
  expectLockNeeded({
    async prepare(cast) {
      const [ann, bob] = [await cast.user('ann'), await cast.user('bob')];
      const parent = await cast.node(ann);
      const child = await cast.node(ann, { target: parent });
      const hidden = await cast.node(bob);
      await cast.grant(ann, { id: parent, email: bob.email, level: 2, branch: false });
      return {
        one: command(ann, 'node:update', { id: child, status: 3 }),
        other: command(bob, 'link:add', { source: hidden, target: parent, private: true }),
        async look({ one }) {
          const state = await cast.ask(
            `MATCH (n:Node {id: $parent})
             RETURN n.status AS status, n.openBlockers AS counted, COUNT { (n)<-[:BLOCKS]-({status: 0}) } AS blockers`,
            { parent },
          );
          const broken = state.status !== 2 || state.counted !== state.blockers;
          return { state: { ...state, opened: tellsOf(one, parent) }, broken };
        },
      };
    },
    // Both orders end as Blocked. In between the parent was open for the side that completed first.
    oneFirst: { one: 'ok', other: 'ok', status: 2, counted: 1, blockers: 1, opened: true },
    otherFirst: { one: 'ok', other: 'ok', status: 2, counted: 1, blockers: 1, opened: false },
    fault: 'the parent is open, or miscounted, under a blocker',
  }));

test("[ACL1 ACL2 ACL3 EVT2] a branch is granted while another user's node joins it", () =>
  expectLockNeeded({
    async prepare(cast) {
      const [ann, bob, cyn] = [await cast.user('ann'), await cast.user('bob'), await cast.user('cyn')];
      const root = await cast.node(ann);
      const middle = await cast.node(ann, { target: root });
      const foreign = await cast.node(bob);
      await cast.grant(ann, { id: middle, email: bob.email, level: 2, branch: false });
      return {
        one: command(ann, 'node:access', { id: root, email: cyn.email, level: 3, branch: true }),
        other: command(bob, 'link:add', { source: foreign, target: middle }),
        async look() {
          const page = await cast.worker.read(cyn, 'graph:get', {});
          const seen = (page.nodes as { id: string }[]).some(({ id }) => id === foreign);
          const entry = toldOf('$foreign');
          const { told } = await cast.ask(entry, { feed: `root:${root}`, foreign });
          return { state: { seen, told }, broken: !seen };
        },
      };
    },
    // Present readers of the branch receive the node as a change, later ones with the branch.
    oneFirst: { one: 'ok', other: 'ok', seen: true, told: true },
    otherFirst: { one: 'ok', other: 'ok', seen: true, told: false },
    fault: 'the grantee does not see a node of the branch',
  }));

test('[TRS1 TRS4] a link is added while its end is trashed', () =>
  expectLockNeeded({
    async prepare(cast) {
      const [ann, bob] = [await cast.user('ann'), await cast.user('bob')];
      const source = await cast.node(ann);
      const target = await cast.node(bob);
      await cast.grant(ann, { id: source, email: bob.email, level: 3, branch: false });
      return {
        one: command(ann, 'node:trash', { id: source }),
        other: command(bob, 'link:add', { source, target }),
        async look() {
          const { links } = await cast.ask(
            'MATCH (n:Node {id: $source}) RETURN [(n)-[r]-(:Node) | [type(r), r.trashedWithNode]] AS links',
            { source },
          );
          return { state: { links }, broken: (links as [string][]).some(([type]) => type !== 'TRASHED') };
        },
      };
    },
    oneFirst: { one: 'ok', other: 'conflict.in_trash', links: [] },
    otherFirst: { one: 'ok', other: 'ok', links: [['TRASHED', true]] },
    fault: 'an active link has an end in the trash',
  }));

test('[LNK4] the halves of a cycle are added by two owners', () =>
  expectLockNeeded({
    async prepare(cast) {
      const [ann, bob] = [await cast.user('ann'), await cast.user('bob')];
      const [a, b, c, d] = [await cast.node(ann), await cast.node(ann), await cast.node(bob), await cast.node(bob)];
      await cast.link(ann, a, b);
      await cast.link(bob, c, d);
      await cast.grant(bob, { id: c, email: ann.email, level: 2, branch: false });
      await cast.grant(ann, { id: a, email: bob.email, level: 2, branch: false });
      return {
        one: command(ann, 'link:add', { source: b, target: c }),
        other: command(bob, 'link:add', { source: d, target: a }),
        async look() {
          const { cycles } = await cast.ask('RETURN EXISTS { (n:Node {id: $a})-[:BLOCKS*4]->(n) } AS cycles', { a });
          return { state: {}, broken: cycles === true };
        },
      };
    },
    oneFirst: { one: 'ok', other: 'conflict.cycle' },
    otherFirst: { one: 'conflict.cycle', other: 'ok' },
    fault: 'blocking links form a cycle',
  }));

/**
 * Two locks protect it: the grantee's, which both sides take, and that of the share root's owner.
 * Without them only one order breaks the rule, since an edit that commits first is allowed.
 */
test("[ACL1 ACL7] a grant is lowered while its grantee edits another user's node below it", () =>
  expectLockNeeded(
    {
      async prepare(cast) {
        const [ann, bob, cyn] = [await cast.user('ann'), await cast.user('bob'), await cast.user('cyn')];
        const root = await cast.node(ann);
        const node = await cast.node(cyn, { title: 'old' });
        await cast.grant(ann, { id: root, email: cyn.email, level: 2, branch: false });
        await cast.link(cyn, node, root);
        await cast.grant(ann, { id: root, email: bob.email, level: 2, branch: true });
        return {
          one: command(ann, 'node:access:update', { id: root, email: bob.email, level: 3 }),
          other: command(bob, 'node:update', { id: node, title: 'new' }),
          async look(_, first) {
            const { title } = await cast.ask('MATCH (n:Node {id: $node}) RETURN n.title AS title', { node });
            return { state: { title }, broken: first === 'one' && title === 'new' };
          },
        };
      },
      oneFirst: { one: 'ok', other: 'forbidden', title: 'old' },
      otherFirst: { one: 'ok', other: 'ok', title: 'new' },
      fault: 'an edit was committed after the right to it had been taken',
    },
    ['one'],
  ));

/**
 * Access by e-mail counts in any case. Only the control message can be lost of a new user who may
 * have read already.
 */
function verifying({ isKnown }: { isKnown: boolean }): Race {
  return {
    async prepare(cast) {
      const ann = await cast.user('ann');
      const [node, earlier] = [await cast.node(ann), await cast.node(ann)];
      const email = cast.email('dan');
      if (isKnown) await cast.grant(ann, { id: earlier, email, level: 3, branch: true });
      const id = newId(0);
      const shown = async () => {
        const readerAccess = await readReaderAccess(database, { id, email }, new Date().toISOString());
        return readerAccess.shown.some(({ feed }) => feed === `root:${node}`);
      };
      /** A newly verified user reads at once. */
      const verify: Move = async (gated) => {
        await ensureUser(gated, { id, email, username: 'dan', now: new Date().toISOString() });
        return { ok: true, body: { found: await shown() } };
      };
      return {
        one: verify,
        other: command(ann, 'node:access', { id: node, email, level: 3, branch: true }),
        async look({ one }) {
          const entry = toldOf('$node');
          const { told } = await cast.ask(entry, { feed: `user:${id}`, node });
          const found = one.ok && one.body.found === true;
          return { state: { told, counts: await shown() }, broken: !found && told !== true };
        },
      };
    },
    oneFirst: { one: 'ok', other: 'ok', told: true, counts: true },
    otherFirst: { one: 'ok', other: 'ok', told: false, counts: true },
    fault: 'the new user neither found the grant nor was told of it',
  };
}

test('[ACL4 EVT2] an e-mail is verified while it gets a further grant', () =>
  expectLockNeeded(verifying({ isKnown: true }), ['one']));

/** Both sides also create the e-mail's Principal. */
test('[ACL4 EVT2] an e-mail is verified while it gets its first grant', () =>
  expectKept(database, verifying({ isKnown: false })));
