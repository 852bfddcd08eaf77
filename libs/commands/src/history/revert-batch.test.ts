import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { branchFeed } from '@taskgraph/wire/feeds';
import { describe, expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

const LATER = '2030-01-01T00:00:00.000Z';

/** A scenario with named batches to undo and redo. */
function scenario() {
  const scene = createScenario();
  return {
    ...scene,
    undo: (batchId: string, by = ann) => scene.run('batch:undo', { batchId }, by),
    redo: (batchId: string, by = ann) => scene.run('batch:redo', { batchId }, by),
    /** The visible graph, without versions and times. */
    picture() {
      const strip = ({ version: _v, lastEditedTime: _t, lastBatchID: _b, ...state }: Record<string, unknown>) => {
        const { trashedBy: _by, wasBlocker: _w, ...shown } = state;
        return shown;
      };
      const all = (map: ReadonlyMap<string, unknown>) => [...map.values()].map((state) => strip(state as never));
      return { nodes: all(scene.nodes), links: all(scene.links), grants: all(scene.grants) };
    },
  };
}
type Scene = ReturnType<typeof scenario>;

/** Each command on a prepared scene, for undo and redo. */
const commands: Record<string, (scene: Scene) => { event: string; payload: object }> = {
  'node:update': (scene) => ({
    event: 'node:update',
    payload: { id: scene.node({ title: 'old', tags: ['a'] }), title: 'new', tags: [], dueDate: LATER },
  }),
  'a status by hand': (scene) => {
    const [blocker, blocked] = [scene.node(), scene.node({ status: Status.IN_PROGRESS })];
    scene.link(blocker, blocked);
    return { event: 'node:update', payload: { id: blocker, status: Status.COMPLETED, title: 'done' } };
  },
  'node:trash': (scene) => {
    const [parent, node, child] = [scene.node({ status: Status.IN_PROGRESS }), scene.node(), scene.node()];
    scene.link(node, parent);
    scene.link(child, node, { type: LinkType.SECONDARY });
    return { event: 'node:trash', payload: { id: node } };
  },
  'link:trash': (scene) => ({
    event: 'link:trash',
    payload: { id: scene.link(scene.node(), scene.node({ status: Status.IN_PROGRESS })) },
  }),
  'link:swap': (scene) => ({ event: 'link:swap', payload: { id: scene.link(scene.node(), scene.node()) } }),
  'link:update': (scene) => ({
    event: 'link:update',
    payload: { id: scene.link(scene.node(), scene.node()), type: 1, private: true },
  }),
  'node:access:delete': (scene) => {
    const id = scene.node();
    scene.grant(id, bob, Level.EDITOR, { branch: true, due: LATER });
    return { event: 'node:access:delete', payload: { id, email: bob.email } };
  },
  'node:access:update': (scene) => {
    const id = scene.node();
    scene.grant(id, bob, Level.EDITOR, { branch: true });
    return { event: 'node:access:update', payload: { id, email: bob.email, level: 3, due: LATER, branch: false } };
  },
  'node:unpublish': (scene) => ({
    event: 'node:unpublish',
    payload: { id: scene.node({ publicToken: 'a token', publicBranch: true }) },
  }),
  'node:publish:update': (scene) => ({
    event: 'node:publish:update',
    payload: { id: scene.node({ publicToken: 'a token', publicBranch: true }), due: LATER, branch: false },
  }),
};

describe.each(Object.entries(commands))('%s', (_name, prepare) => {
  test('[HIS2 HIS4] undo and redo alternate any number of times', () => {
    const scene = scenario();
    const { event, payload } = prepare(scene);
    const before = scene.picture();
    const done = scene.run(event, payload);
    expect(done.error).toBeNull();
    const after = scene.picture();
    expect(after).not.toEqual(before);
    for (let round = 0; round < 2; round++) {
      expect(scene.undo(done.batchId).error).toBeNull();
      expect(scene.picture()).toEqual(before);
      expect(scene.redo(done.batchId).error).toBeNull();
      expect(scene.picture()).toEqual(after);
    }
  });

  test('[HIS5] undoing an undo is a redo, and the states of all three batches agree', () => {
    const scene = scenario();
    const { event, payload } = prepare(scene);
    const done = scene.run(event, payload);
    const after = scene.picture();
    const undo = scene.undo(done.batchId);
    expect(scene.undo(done.batchId).error).toBe('conflict.already_undone');
    expect(scene.redo(undo.batchId).error).toBe('conflict.not_undone');
    expect(scene.undo(undo.batchId).error).toBeNull();
    expect(scene.picture()).toEqual(after);
    expect(scene.redo(done.batchId).error).toBe('conflict.not_undone');
    expect(scene.undo(undo.batchId).error).toBe('conflict.already_undone');
    // The undo is now undone, so it can be redone.
    expect(scene.redo(undo.batchId).error).toBeNull();
    expect(scene.redo(done.batchId).error).toBeNull();
    expect(scene.picture()).toEqual(after);
  });

  test('[GEN9] versions only grow', () => {
    const scene = scenario();
    const { event, payload } = prepare(scene);
    const versions = () => [...scene.nodes.values(), ...scene.links.values()].map(({ version }) => version);
    const batches = [scene.run(event, payload).batchId];
    let last = versions();
    for (const step of [scene.undo, scene.redo]) {
      step(batches[0] as string);
      const now = versions();
      expect(now.every((version, index) => version >= (last[index] ?? 0))).toBe(true);
      last = now;
    }
  });
});

describe('adding', () => {
  test('[HIS4] undo trashes an added entity with its links; redo restores them', () => {
    const scene = scenario();
    const parent = scene.node({ status: Status.IN_PROGRESS });
    const added = scene.run('node:add', { target: parent, title: 'new' });
    const child = added.diff.nodes.find(({ op }) => op === Op.NODE_ADD)?.after.id as string;
    const undone = scene.undo(added.batchId);
    expect(undone.diff.nodes.map(({ op }) => op)).toContain(Op.NODE_TRASH);
    expect(scene.nodes.get(child)).toMatchObject({ inTrash: true });
    expect([...scene.links.values()]).toMatchObject([{ inTrash: true }]);
    expect(scene.nodes.get(parent)?.status).toBe(Status.IN_PROGRESS);
    scene.redo(added.batchId);
    expect(scene.nodes.get(child)).toMatchObject({ inTrash: false, title: 'new' });
    expect(scene.nodes.get(parent)?.status).toBe(Status.BLOCKED);
  });

  test('[HIS4 LNK6] a link that was restored in another form returns to the trash in its former form', () => {
    const scene = scenario();
    const [one, other] = [scene.node(), scene.node()];
    const link = scene.link(one, other, { inTrash: true, type: LinkType.SECONDARY });
    const back = scene.run('link:add', { source: other, target: one, type: 0 });
    expect(scene.links.get(link)).toMatchObject({ source: other, type: 0, inTrash: false });
    expect(scene.undo(back.batchId).error).toBeNull();
    expect(scene.links.get(link)).toMatchObject({ source: one, target: other, type: 1, inTrash: true });
    expect(scene.redo(back.batchId).error).toBeNull();
    expect(scene.links.get(link)).toMatchObject({ source: other, type: 0, inTrash: false });
  });
});

describe('[HIS2] conflicts', () => {
  test('name the entity, the field, the later batch and its actor, and nothing changes', () => {
    const scene = scenario();
    const node = scene.node({ title: 'old', description: 'old' });
    scene.grant(node, bob, Level.EDITOR);
    const first = scene.run('node:update', { id: node, title: 'new', description: 'new' });
    const later = scene.run('node:update', { id: node, title: 'newer' }, bob);
    scene.run('node:update', { id: node, priority: 5 });
    const refused = scene.undo(first.batchId);
    expect(refused).toMatchObject({ error: 'version_conflict', changes: [] });
    expect(refused.details?.conflicts).toEqual([
      { entity: node, field: 'title', batchId: later.batchId, actor: { username: 'bob', email: bob.email } },
    ]);
    scene.undo(later.batchId, bob);
    expect(scene.undo(first.batchId).error).toBeNull();
    expect(scene.nodes.get(node)).toMatchObject({ title: 'old', description: 'old', priority: 5 });
  });

  test('include a status that a user set since', () => {
    const scene = scenario();
    const node = scene.node();
    const started = scene.run('node:update', { id: node, status: Status.IN_PROGRESS });
    const done = scene.run('node:update', { id: node, status: Status.COMPLETED });
    expect(scene.undo(started.batchId)).toMatchObject({
      error: 'version_conflict',
      details: { conflicts: [{ entity: node, field: 'status', batchId: done.batchId }] },
    });
  });

  test('exclude side effects', () => {
    const scene = scenario();
    const [node, blocker] = [scene.node({ status: Status.AVAILABLE }), scene.node()];
    const started = scene.run('node:update', { id: node, status: Status.IN_PROGRESS });
    scene.run('link:add', { source: blocker, target: node });
    expect(scene.undo(started.batchId).error).toBeNull();
    expect(scene.nodes.get(node)).toMatchObject({ status: Status.BLOCKED, statusBefore: Status.AVAILABLE });
  });

  test('[BLK3] a status that a side effect ended is restored exactly', () => {
    const scene = scenario();
    const [node, blocker] = [scene.node({ status: Status.COMPLETED }), scene.node()];
    const linked = scene.run('link:add', { source: blocker, target: node });
    expect(scene.nodes.get(node)?.status).toBe(Status.BLOCKED);
    scene.undo(linked.batchId);
    expect(scene.nodes.get(node)?.status).toBe(Status.COMPLETED);
  });

  test('[LNK4 LNK5] cycles and duplicates are refused as by the command', () => {
    const scene = scenario();
    const [one, other] = [scene.node(), scene.node()];
    const link = scene.link(one, other);
    const trashed = scene.run('link:trash', { id: link });
    scene.link(other, one, { ownerId: bob.id, private: true });
    expect(scene.undo(trashed.batchId).error).toBe('conflict.cycle');
    const second = scenario();
    const [a, b] = [second.node(), second.node()];
    const gone = second.run('link:trash', { id: second.link(a, b, { type: 1 }) });
    second.link(a, b, { type: 1 });
    expect(second.undo(gone.batchId).error).toBe('conflict.duplicate_link');
  });
});

describe('[HIS3] permissions', () => {
  function renamed() {
    const scene = scenario();
    const node = scene.node();
    return { scene, node, batch: scene.run('node:update', { id: node, title: 'new' }).batchId };
  }

  test.each<[Level | null, string | null]>([
    [null, 'not_found'],
    [Level.VIEWER, 'forbidden'],
    [Level.EDITOR, null],
  ])('with level %j on the node: %j', (level, error) => {
    const { scene, node, batch } = renamed();
    if (level !== null) scene.grant(node, bob, level);
    expect(scene.undo(batch, bob).error).toBe(error);
  });

  test('a batch that does not exist is not found', () => {
    expect(scenario().undo(cy.id).error).toBe('not_found');
  });

  test('a branch editor may undo trashing a node that left the branch by it', () => {
    const scene = scenario();
    const [root, child] = [scene.node(), scene.node()];
    scene.link(child, root, { type: LinkType.SECONDARY });
    scene.grant(root, bob, Level.EDITOR, { branch: true });
    const trashed = scene.run('node:trash', { id: child }, bob);
    expect(scene.level(child, bob)).toBeNull();
    expect(scene.undo(trashed.batchId, cy).error).toBe('not_found');
    expect(scene.undo(trashed.batchId, bob).error).toBeNull();
    expect(scene.level(child, bob)).toBe(Level.EDITOR);
    expect([...(scene.members.get(child) ?? [])].map(([feed]) => feed)).toEqual([branchFeed(root)]);
  });

  test("an editor may not undo an admin's grant, nor another user a private link", () => {
    const scene = scenario();
    const node = scene.node();
    scene.grant(node, bob, Level.EDITOR, { branch: true });
    const granted = scene.run('node:access', { id: node, email: cy.email });
    expect(scene.undo(granted.batchId, bob).error).toBe('not_found');
    const linked = scene.run('link:add', { source: scene.node(), target: node, type: 1, private: true });
    expect(scene.undo(linked.batchId, bob).error).toBe('not_found');
  });

  test('an admin of a node alone may not undo the publication of its branch, even an expired one', () => {
    const scene = scenario();
    const node = scene.node();
    const published = scene.run('node:publish', { id: node, branch: true });
    scene.run('node:unpublish', { id: node });
    scene.grant(node, bob, Level.ADMIN);
    expect(scene.undo(published.batchId, bob).error).toBe('forbidden');
    expect(scene.undo(published.batchId).error).toBe('version_conflict');
  });
});

describe('[HIS4]', () => {
  test('a permanently deleted entity is not restored', () => {
    const scene = scenario();
    const node = scene.node({ title: 'old' });
    const renamed = scene.run('node:update', { id: node, title: 'new' });
    scene.run('node:trash', { id: node });
    const deleted = scene.run('node:delete', { id: node });
    expect(scene.undo(deleted.batchId).error).toBe('conflict.irreversible');
    expect(scene.undo(renamed.batchId).error).toBe('conflict.irreversible');
    expect(scene.undo(deleted.batchId, bob).error).toBe('not_found');
  });

  test('expired access is not restored', () => {
    const scene = scenario();
    const node = scene.node();
    scene.grant(node, bob, Level.EDITOR, { due: '2026-01-01T00:00:30.000Z' });
    const taken = scene.run('node:access:delete', { id: node, email: bob.email });
    for (let step = 0; step < 30; step++) scene.run('node:update', { id: node, title: String(step) });
    expect(scene.undo(taken.batchId).error).toBe('conflict.expired');
  });

  test('a deleted grant is restored with its copies, and versions continue', () => {
    const scene = scenario();
    const parent = scene.node();
    scene.grant(parent, bob, Level.EDITOR);
    const child = scene.run('node:add', { target: parent }, bob).diff.nodes[0]?.after.id as string;
    const taken = scene.run('node:access:delete', { id: parent, email: bob.email });
    expect(scene.level(child, bob)).toBeNull();
    const undone = scene.undo(taken.batchId);
    expect(undone.diff.access).toMatchObject([
      { after: { id: parent, version: 2 } },
      { after: { id: child, version: 2 } },
    ]);
    expect([parent, child].map((id) => scene.level(id, bob))).toEqual([Level.EDITOR, Level.EDITOR]);
  });

  test('the undo of a swap is a swap: an editor’s does not propagate, the trasher’s own undo propagates as before', () => {
    const scene = scenario();
    const [root, child] = [scene.node(), scene.node()];
    const link = scene.link(child, root, { type: LinkType.SECONDARY });
    scene.grant(root, cy, Level.VIEWER, { branch: true });
    for (const node of [root, child]) scene.grant(node, bob, Level.EDITOR);
    const trashed = scene.run('link:trash', { id: link }, bob);
    expect(scene.level(child, cy)).toBeNull();
    scene.undo(trashed.batchId, bob);
    expect(scene.level(child, cy)).toBe(Level.VIEWER);
    const swapped = scene.run('link:swap', { id: link }, bob);
    scene.undo(swapped.batchId, bob);
    expect(scene.links.get(link)).toMatchObject({ source: child, target: root });
    expect(scene.level(child, cy)).toBeNull();
  });
});

test('[HIS4 TRS5] the undo of a grant on a deleted node names the node alone', () => {
  const scene = scenario();
  const id = scene.node();
  const { batchId } = scene.run('node:access', { id, email: bob.email, level: Level.VIEWER });
  scene.run('node:trash', { id });
  scene.run('node:delete', { id });
  expect(scene.undo(batchId)).toMatchObject({ error: 'conflict.irreversible', details: { id } });
  expect(JSON.stringify(scene.undo(batchId).details)).not.toContain(bob.email);
});
