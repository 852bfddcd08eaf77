// Claims on small graphs: what they set, what refuses them, and what ends them.
import { SYSTEM } from '@taskgraph/wire/actor';
import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import { ann, bob, createScenario, cy, type Scenario } from '../test/support/scenario.ts';

const MINUTE_MS = 60_000;
const claimOf = (scene: Scenario, id: string) => {
  const { claimedBy, claimUntil, claimId, claimerId, claimAssigned } = scene.nodes.get(id) ?? {};
  return { claimedBy, claimUntil, claimId, claimerId, claimAssigned };
};
const NONE = { claimedBy: null, claimUntil: null, claimId: null, claimerId: null, claimAssigned: null };
const ENDED = '2025-12-31T00:00:00.000Z';

/** A node with a claim of Bob's that ended before the scene begins. */
function endedClaim(scene: Scenario, fields: object = {}) {
  const claim = { claimedBy: 'bob', claimUntil: ENDED, claimId: cy.id, claimerId: bob.id, claimAssigned: true };
  return scene.node({ status: Status.IN_PROGRESS, assignee: ['bob'], ...claim, ...fields });
}

/** A node of Ann's that Bob may edit and has claimed. */
function claimedByBob(scene: Scenario, fields: object = {}) {
  const id = scene.node(fields);
  scene.grant(id, bob, Level.EDITOR);
  const { batchId, error } = scene.run('node:claim', { id }, bob);
  expect(error).toBeNull();
  return { id, claimId: batchId };
}

describe('[CLAIM1] a claim', () => {
  test('sets the status, the assignee, its user and its end, in two entries', () => {
    const scene = createScenario();
    const id = scene.node({ assignee: ['cy'] });
    const { diff, batchId } = scene.run('node:claim', { id, lease: 15 });
    const claimUntil = new Date(Date.parse(diff.ts) + 15 * MINUTE_MS).toISOString();
    expect(diff.nodes).toEqual([
      {
        op: Op.NODE_UPDATE,
        before: { id, version: 1, assignee: ['cy'] },
        after: { id, version: 2, assignee: ['cy', 'ann'], shareRoots: [], lastEditedTime: diff.ts },
      },
      {
        op: Op.NODE_STATUS,
        before: { id, version: 2, status: Status.AVAILABLE, claimedBy: null, claimUntil: null },
        after: {
          id,
          version: 3,
          status: Status.IN_PROGRESS,
          claimedBy: 'ann',
          claimUntil,
          shareRoots: [],
          lastEditedTime: diff.ts,
        },
      },
    ]);
    const claim = { claimedBy: 'ann', claimUntil, claimId: batchId, claimerId: ann.id, claimAssigned: true };
    expect(claimOf(scene, id)).toEqual(claim);
  });

  test('without an id takes the first free node of the queue that its caller may edit', () => {
    const scene = createScenario();
    const [, viewed, blocked, blocker, trashed, free] = [
      scene.node({ ownerId: cy.id }),
      scene.node(),
      scene.node(),
      scene.node({ ownerId: cy.id }),
      scene.node({ inTrash: true }),
      scene.node(),
    ];
    scene.grant(viewed, bob, Level.VIEWER);
    scene.link(blocker, blocked);
    for (const id of [blocked, trashed, free]) scene.grant(id, bob, Level.EDITOR);
    const { diff, batchId } = scene.run('node:claim', {}, bob);
    expect(new Set(diff.nodes.map(({ after }) => after.id))).toEqual(new Set([free]));
    expect(claimOf(scene, free)).toMatchObject({ claimedBy: 'bob', claimId: batchId });
    expect(scene.run('node:claim', {}, bob)).toMatchObject({ error: null, changes: [] });
  });

  test('leaves a full list of assignees, and one with the name, as it is', () => {
    const scene = createScenario();
    const full = Array.from({ length: 64 }, (_, index) => `agent-${index}`);
    for (const assignee of [full, ['ann']]) {
      const id = scene.node({ assignee });
      const { diff } = scene.run('node:claim', { id });
      expect(diff.nodes.map(({ op }) => op)).toEqual([Op.NODE_STATUS]);
      scene.run('node:claim:release', { id });
      expect(scene.nodes.get(id)).toMatchObject({ assignee, status: Status.AVAILABLE, ...NONE });
    }
  });

  test('of an ended claim ends that one first, as a side effect', () => {
    const scene = createScenario();
    const id = endedClaim(scene);
    const { diff, changes } = scene.run('node:claim', { id });
    expect(diff.nodes.map(({ op, after }) => [op, after.status, after.assignee])).toEqual([
      [Op.NODE_UPDATE, undefined, []],
      [Op.NODE_STATUS, Status.AVAILABLE, undefined],
      [Op.NODE_UPDATE, undefined, ['ann']],
      [Op.NODE_STATUS, Status.IN_PROGRESS, undefined],
    ]);
    expect(changes.map((change) => 'effect' in change)).toEqual([true, true, false, false]);
  });

  test.each<[string, (scene: Scenario) => string, string]>([
    ['in the trash', (scene) => scene.node({ inTrash: true }), 'conflict.in_trash'],
    ['Completed', (scene) => scene.node({ status: Status.COMPLETED }), 'conflict.not_claimable'],
    ['in progress without a claim', (scene) => scene.node({ status: Status.IN_PROGRESS }), 'conflict.not_claimable'],
    ['of another user, claimed', (scene) => claimedByBob(scene).id, 'conflict.claimed'],
    ['without access', (scene) => scene.node({ ownerId: cy.id }), 'forbidden'],
    ['that does not exist', () => cy.id, 'not_found'],
  ])('of a node %s is refused', (_name, make, error) => {
    const scene = createScenario();
    const id = make(scene);
    const outcome = scene.run('node:claim', { id });
    expect(outcome).toMatchObject({ error, changes: [], details: { id } });
    if (error === 'conflict.claimed') expect(outcome.details).toEqual({ id, until: claimOf(scene, id).claimUntil });
  });

  test('of a Blocked node is refused with its blockers', () => {
    const scene = createScenario();
    const [source, id] = [scene.node(), scene.node()];
    const link = scene.link(source, id);
    expect(scene.run('node:claim', { id })).toMatchObject({
      error: 'conflict.node_blocked',
      details: { blockers: [{ id: source, link }] },
    });
  });

  test.each([Level.VIEWER, Level.EDITOR])('needs an editor, here level %i', (level) => {
    const scene = createScenario();
    const id = scene.node();
    scene.grant(id, bob, level);
    expect(scene.run('node:claim', { id }, bob).error).toBe(level === Level.VIEWER ? 'forbidden' : null);
  });

  test.each([
    [{ lease: 0 }, 'bad_request.out_of_range'],
    [{ lease: 1_441 }, 'bad_request.out_of_range'],
    [{ lease: 1.5 }, 'bad_request.invalid_lease'],
    [{ root: ann.id, id: ann.id }, 'bad_request.invalid_id'],
    [{ where: { unknown: 1 } }, 'bad_request.invalid_where'],
    [{ claimedBy: 'ann' }, 'bad_request.immutable_field'],
  ])('with %j is refused', (payload, error) => {
    expect(createScenario().run('node:claim', payload).error).toBe(error);
  });

  test('has at most 15 conditions besides the status', () => {
    const one = { tag: ['a'] };
    const where = { any: Array.from({ length: 8 }, () => ({ ...one, priority: {} })) };
    expect(createScenario().run('node:claim', { where }).error).toBe('bad_request.invalid_where');
    expect(createScenario().run('node:claim', { where: { any: where.any.slice(1) } }).error).toBeNull();
  });
});

describe('[CLAIM2] the id of a claim', () => {
  test('lets only its user renew it, and update the node with it', () => {
    const scene = createScenario();
    const { id, claimId } = claimedByBob(scene);
    const until = claimOf(scene, id).claimUntil ?? '';
    const { diff, error } = scene.run('node:claim:renew', { id, claimId, lease: 60 }, bob);
    expect([error, diff.nodes]).toMatchObject([
      null,
      [{ op: Op.NODE_UPDATE, before: { claimUntil: until }, after: { version: 4 } }],
    ]);
    expect((claimOf(scene, id).claimUntil ?? '') > until).toBe(true);
    expect(scene.run('node:update', { id, claim: claimId, title: 'mine' }, bob).error).toBeNull();
    const other = { error: 'conflict.claim_ended', details: { id }, changes: [] };
    expect(scene.run('node:claim:renew', { id, claimId })).toMatchObject(other);
    expect(scene.run('node:update', { id, claim: claimId, title: 'not mine' })).toMatchObject(other);
    expect(scene.run('node:update', { id, claim: cy.id, title: 'not mine' }, bob)).toMatchObject(other);
    // Without a claim, an editor may still change the node.
    expect(scene.run('node:update', { id, title: 'ours' }).error).toBeNull();
  });

  test('counts for nothing from its end on, even while no other claim exists', () => {
    const scene = createScenario();
    const id = endedClaim(scene);
    scene.grant(id, bob, Level.EDITOR);
    const ended = { error: 'conflict.claim_ended', changes: [] };
    expect(scene.run('node:claim:renew', { id, claimId: cy.id }, bob)).toMatchObject(ended);
    expect(scene.run('node:update', { id, claim: cy.id, status: 3 }, bob)).toMatchObject(ended);
    // Its user may still hand the node back, until another agent has it.
    expect(scene.run('node:claim:release', { id, claimId: cy.id }, bob).error).toBeNull();
  });

  test('protects the successor: the former claim ends nothing', () => {
    const scene = createScenario();
    const id = endedClaim(scene);
    scene.grant(id, bob, Level.EDITOR);
    scene.run('node:claim', { id });
    const claim = claimOf(scene, id);
    for (const [event, fields] of [
      ['node:claim:release', { claimId: cy.id }],
      ['node:claim:renew', { claimId: cy.id }],
      ['node:update', { claim: cy.id, status: 3 }],
    ] as const) {
      expect(scene.run(event, { id, ...fields }, bob).error).toBe('conflict.claim_ended');
    }
    expect(claimOf(scene, id)).toEqual(claim);
  });

  test('is checked after existence, level and trash, and before the version', () => {
    const scene = createScenario();
    const trashed = scene.node({ inTrash: true });
    const { id, claimId } = claimedByBob(scene);
    for (const [event, fields] of [
      ['node:claim:renew', { claimId: cy.id, version: 9 }],
      ['node:claim:release', { claimId: cy.id, version: 9 }],
      ['node:update', { claim: cy.id, title: 'a', version: 9 }],
    ] as const) {
      expect(scene.run(event, { id: ann.id, ...fields }).error).toBe('not_found');
      expect(scene.run(event, { id, ...fields }, cy).error).toBe('forbidden');
      expect(scene.run(event, { id: trashed, ...fields }).error).toBe('conflict.in_trash');
      expect(scene.run(event, { id, ...fields }, bob).error).toBe('conflict.claim_ended');
    }
    expect(scene.run('node:claim:renew', { id, claimId, version: 9 }, bob).error).toBe('version_conflict');
    expect(scene.run('node:claim:release', { id, claimId, version: 9 }, bob).error).toBe('version_conflict');
    expect(scene.run('node:claim:release', { id, claimId, version: 3 }, bob).error).toBeNull();
  });

  test('alone is no field to change', () => {
    const scene = createScenario();
    const { id, claimId } = claimedByBob(scene);
    expect(scene.run('node:update', { id, claim: claimId }, bob).error).toBe('bad_request.no_fields');
  });
});

function trashAndRestore(scene: Scenario, id: string) {
  scene.run('node:trash', { id });
  return scene.run('node:restore', { id });
}

function trashAndUndo(scene: Scenario, id: string) {
  const { batchId } = scene.run('node:trash', { id });
  expect(scene.run('batch:undo', { batchId }).error).toBeNull();
}

describe('[CLAIM3] a claim ends', () => {
  test.each<[string, (scene: Scenario, id: string) => unknown, Status]>([
    ['with completion', (scene, id) => scene.run('node:update', { id, status: 3 }), Status.COMPLETED],
    ['with the trash', (scene, id) => scene.run('node:trash', { id }), Status.AVAILABLE],
    ['with the trash, even if it is restored', trashAndRestore, Status.AVAILABLE],
    ['with the trash, even if that is undone', trashAndUndo, Status.AVAILABLE],
  ])('%s, and the assignee stays', (_name, end, status) => {
    const scene = createScenario();
    const { id } = claimedByBob(scene);
    end(scene, id);
    expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status, assignee: ['bob'] });
  });

  test('by a release of its user or of any editor, who need not name it', () => {
    for (const by of [bob, ann]) {
      const scene = createScenario();
      const { id } = claimedByBob(scene);
      const { diff } = scene.run('node:claim:release', { id }, by);
      expect(diff.nodes).toMatchObject([
        { op: Op.NODE_UPDATE, after: { assignee: [] } },
        { op: Op.NODE_STATUS, after: { status: Status.AVAILABLE, claimedBy: null, claimUntil: null } },
      ]);
      expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.AVAILABLE, assignee: [] });
      expect(scene.run('node:claim:release', { id }, by)).toMatchObject({ error: null, changes: [] });
    }
  });

  test('with a release of a Blocked node, which becomes Available once it is unblocked', () => {
    const scene = createScenario();
    const { id } = claimedByBob(scene);
    const blocker = scene.node();
    scene.run('link:add', { source: blocker, target: id });
    expect(scene.nodes.get(id)).toMatchObject({ status: Status.BLOCKED, claimedBy: 'bob' });
    scene.run('node:claim:release', { id });
    expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.BLOCKED, statusBefore: Status.AVAILABLE });
    scene.run('node:update', { id: blocker, status: 3 });
    expect(scene.nodes.get(id)?.status).toBe(Status.AVAILABLE);
  });

  test('not while its node is Blocked, and not when it is unblocked', () => {
    const scene = createScenario();
    const { id, claimId } = claimedByBob(scene);
    const blocker = scene.node();
    scene.run('link:add', { source: blocker, target: id });
    expect(scene.run('node:claim:renew', { id, claimId }, bob).error).toBeNull();
    scene.run('node:update', { id: blocker, status: 3 });
    expect(scene.nodes.get(id)).toMatchObject({ status: Status.IN_PROGRESS, claimId });
  });

  test('with the trash of a Blocked node, which becomes Available once it is unblocked', () => {
    const scene = createScenario();
    const { id } = claimedByBob(scene);
    const blocker = scene.node();
    scene.run('link:add', { source: blocker, target: id });
    trashAndRestore(scene, id);
    expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.BLOCKED, statusBefore: Status.AVAILABLE });
    scene.run('node:update', { id: blocker, status: 3 });
    expect(scene.nodes.get(id)?.status).toBe(Status.AVAILABLE);
  });

  test('before a start by hand if its end has passed, so that the system does not undo the start', () => {
    const scene = createScenario();
    const [id, { id: current, claimId }] = [endedClaim(scene), claimedByBob(scene)];
    const { batchId } = scene.run('node:update', { id, status: Status.IN_PROGRESS });
    expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.IN_PROGRESS, assignee: [] });
    expect(scene.run('node:claim:expire', { id }, SYSTEM)).toMatchObject({ error: null, changes: [] });
    expect(scene.run('batch:undo', { batchId }).error).toBeNull();
    expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.AVAILABLE });
    // A claim in force stays.
    expect(scene.run('node:update', { id: current, status: Status.IN_PROGRESS }).changes).toEqual([]);
    expect(claimOf(scene, current)).toMatchObject({ claimId });
  });

  test('by the system at its time, and not before', () => {
    const scene = createScenario();
    const [id, { id: current, claimId }] = [endedClaim(scene), claimedByBob(scene)];
    expect(scene.run('node:claim:expire', { id: current }, SYSTEM)).toMatchObject({ error: null, changes: [] });
    expect(claimOf(scene, current)).toMatchObject({ claimId });
    expect(scene.run('node:claim:expire', { id }, SYSTEM).error).toBeNull();
    expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.AVAILABLE, assignee: [] });
    expect(scene.run('node:claim:expire', { id }, SYSTEM)).toMatchObject({ error: null, changes: [] });
    expect(scene.run('node:claim:expire', { id: ann.id }, SYSTEM).error).toBe('not_found');
  });

  test('with an update to Available, like a release, unless the update names the assignees', () => {
    for (const [fields, assignee] of [
      [{}, ['cy']],
      [{ assignee: ['bob', 'cy'] }, ['bob', 'cy']],
    ] as const) {
      const scene = createScenario();
      const { id } = claimedByBob(scene, { assignee: ['cy'] });
      scene.run('node:update', { id, status: Status.AVAILABLE, ...fields });
      expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.AVAILABLE, assignee });
    }
  });

  test.each(['an update', 'an undo'])('and a release leaves the assignees that %s has set since', (by) => {
    const scene = createScenario();
    const { id } = claimedByBob(scene);
    const { batchId } = scene.run('node:update', { id, assignee: ['cy', 'bob'] });
    if (by === 'an undo') expect(scene.run('batch:undo', { batchId }).error).toBeNull();
    scene.run('node:claim:release', { id });
    expect(scene.nodes.get(id)).toMatchObject({ ...NONE, assignee: by === 'an undo' ? ['bob'] : ['cy', 'bob'] });
  });

  test('and a release removes the name that it added if an update left the list as it was', () => {
    const scene = createScenario();
    const { id } = claimedByBob(scene);
    scene.run('node:update', { id, assignee: ['bob'], title: 'mine' });
    scene.run('node:claim:release', { id });
    expect(scene.nodes.get(id)?.assignee).toEqual([]);
  });
});

describe('[CLAIM3 HIS2] undo and redo', () => {
  test('of the own claim release it, even a claim of an ended one', () => {
    for (const make of [(scene: Scenario) => scene.node(), endedClaim]) {
      const scene = createScenario();
      const id = make(scene);
      const { batchId } = scene.run('node:claim', { id });
      expect(scene.run('batch:undo', { batchId }).error).toBeNull();
      expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.AVAILABLE, assignee: [] });
      expect(scene.run('batch:redo', { batchId }).error).toBeNull();
      expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.AVAILABLE, assignee: ['ann'] });
    }
  });

  test('of a claim that has ended, or that another claim followed, is a conflict', () => {
    const scene = createScenario();
    const id = scene.node();
    const { batchId } = scene.run('node:claim', { id });
    scene.run('node:claim:release', { id });
    const again = scene.run('node:claim', { id });
    expect(scene.run('batch:undo', { batchId })).toMatchObject({
      error: 'version_conflict',
      details: { conflicts: [{ entity: id, field: 'claimId', batchId: again.batchId }] },
    });
    expect(claimOf(scene, id).claimId).toBe(again.batchId);
  });

  test('by another user leave the claim', () => {
    const scene = createScenario();
    const { id, claimId } = claimedByBob(scene);
    const claimed = { error: 'conflict.claimed', details: { id }, changes: [] };
    expect(scene.run('batch:undo', { batchId: claimId })).toMatchObject(claimed);
    const restored = scene.node({ inTrash: true });
    scene.grant(restored, bob, Level.EDITOR);
    const { batchId } = scene.run('node:restore', { id: restored });
    scene.run('node:claim', { id: restored }, bob);
    expect(scene.run('batch:undo', { batchId })).toMatchObject({ ...claimed, details: { id: restored } });
    expect(claimOf(scene, restored).claimedBy).toBe('bob');
  });

  test('of what ended a claim leave the node free, and not in progress without an agent', () => {
    for (const [event, fields] of [
      ['node:update', { status: 3 }],
      ['node:update', { status: 0 }],
      ['node:claim:release', {}],
    ] as const) {
      const scene = createScenario();
      const { id } = claimedByBob(scene);
      const { batchId } = scene.run(event, { id, ...fields });
      expect(scene.run('batch:undo', { batchId }).error).toBeNull();
      expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.AVAILABLE, assignee: ['bob'] });
      expect(scene.run('node:claim', { id }).error).toBeNull();
    }
  });

  test('of the release by the system leave the node free', () => {
    const scene = createScenario();
    const id = endedClaim(scene);
    const { batchId } = scene.run('node:claim:expire', { id }, SYSTEM);
    expect(scene.run('batch:undo', { batchId }).error).toBeNull();
    expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.AVAILABLE, assignee: ['bob'] });
  });

  test('of a renewal change nothing', () => {
    const scene = createScenario();
    const { id, claimId } = claimedByBob(scene);
    const { batchId } = scene.run('node:claim:renew', { id, claimId, lease: 90 }, bob);
    const claim = claimOf(scene, id);
    expect(scene.run('batch:undo', { batchId }, bob)).toMatchObject({ error: null, diff: { nodes: [] } });
    expect(claimOf(scene, id)).toEqual(claim);
  });
});

describe('[CLAIM4]', () => {
  test.each(['node:claim', 'node:claim:renew', 'node:claim:release'])('%s is no operation of a batch', (event) => {
    const scene = createScenario();
    const { id, claimId } = claimedByBob(scene);
    const payload = event === 'node:claim' ? { id } : { id, claimId };
    expect(scene.run('batch:run', { operations: [{ event, payload }] }, bob)).toMatchObject({
      error: 'bad_request.unknown_event',
      details: { index: 0 },
    });
  });

  test('[BAT3] an update in a batch may name a claim', () => {
    const scene = createScenario();
    const { id, claimId } = claimedByBob(scene);
    const complete = (claim: string) => [{ event: 'node:update', payload: { id, claim, status: 3 } }];
    expect(scene.run('batch:run', { operations: complete(cy.id) }, bob)).toMatchObject({
      error: 'conflict.claim_ended',
      details: { id, index: 0 },
    });
    expect(scene.run('batch:run', { operations: complete(claimId) }, bob).error).toBeNull();
    expect(scene.nodes.get(id)).toMatchObject({ ...NONE, status: Status.COMPLETED });
  });

  test('[DRY1] a dry run shows the node and takes nothing', () => {
    const scene = createScenario();
    const id = scene.node();
    const { diff, error } = scene.run('node:claim', { dryRun: true });
    expect([error, diff.nodes.at(-1)?.after.id, claimOf(scene, id)]).toEqual([null, id, NONE]);
  });
});

test('[CLAIM1] a claim of a secondary target is free of its source', () => {
  const scene = createScenario();
  const [source, id] = [scene.node(), scene.node()];
  scene.link(source, id, { type: LinkType.SECONDARY });
  expect(scene.run('node:claim', { id }).error).toBeNull();
});
