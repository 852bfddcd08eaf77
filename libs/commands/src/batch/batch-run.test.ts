// Composites on small graphs: names of new entities, the index of a refusal, and the visibility of
// intermediate steps.

import { Level, Op, Status } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import { composeId } from '@taskgraph/wire/ids';
import { describe, expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

type Operations = readonly { event: string; payload?: unknown; as?: string }[];

const run = (scene: ReturnType<typeof createScenario>, operations: unknown, by = ann) =>
  scene.run('batch:run', { operations }, by);
const add = (as?: string, payload: object = {}) => ({
  event: 'node:add',
  payload,
  ...definedFields({ as }),
});

describe('shapes', () => {
  test.each<[string, unknown, string, object]>([
    ['none', [], 'bad_request.invalid_operations', { path: 'operations' }],
    ['501', Array.from({ length: 501 }, () => add()), 'bad_request.invalid_operations', { path: 'operations' }],
    ['no list', { length: 1 }, 'bad_request.invalid_operations', { path: 'operations' }],
    ['a further field', [{ ...add(), idempotencyKey: 'x' }], 'bad_request.invalid_operations', { index: 0 }],
    ['null', [add(), null], 'bad_request.invalid_operations', { path: 'operations.1', index: 1 }],
    ['no event', [add(), add(), {}], 'bad_request.invalid_operations', { path: 'operations.2.event', index: 2 }],
    ['an event that is not a text', [add(), { event: 7 }], 'bad_request.invalid_operations', { index: 1 }],
    ['a number', [add(), 7], 'bad_request.invalid_operations', { index: 1 }],
    ['a name with a space', [add(), add('a b')], 'bad_request.invalid_operations', { index: 1 }],
    ['two', [add(), { event: 7 }, null], 'bad_request.invalid_operations', { index: 1 }],
    ['a broken id', [add(), { event: 'node:trash', payload: { id: 7 } }], 'bad_request.invalid_uuid', { index: 1 }],
    ['a missing id', [add(), { event: 'node:trash' }], 'bad_request.missing_id', { index: 1 }],
    ['a dry run', [add('a', { dryRun: true })], 'bad_request.unknown_field', { path: 'dryRun', index: 0 }],
    ['another batch', [{ event: 'batch:run', payload: { operations: [] } }], 'bad_request.unknown_event', { index: 0 }],
    ['an undo', [add(), { event: 'batch:undo', payload: {} }], 'bad_request.unknown_event', { index: 1 }],
    ['a read', [{ event: 'graph:get' }], 'bad_request.unknown_event', { index: 0 }],
    ['the name of an inherited property', [{ event: 'constructor' }], 'bad_request.unknown_event', { index: 0 }],
    ['no object', [add(), { event: 'node:add', payload: [] }], 'bad_request.invalid_body', { index: 1 }],
    ['a prototype', [{ event: 'node:add', payload: JSON.parse('{"__proto__":{}}') }], 'bad_request.unknown_field', {}],
    ['a key of its own', [add('a', { idempotencyKey: 'k' })], 'bad_request.unknown_field', { path: 'idempotencyKey' }],
    ['a wrong field', [add(), add('a', { title: 7 })], 'bad_request.invalid_title', { path: 'title', index: 1 }],
    ['Blocked', [add('a', { status: 2 })], 'bad_request.status_blocked', { index: 0 }],
    ['no fields', [add('a'), { event: 'node:update', payload: { id: '$a' } }], 'bad_request.no_fields', { index: 1 }],
  ])('[BAT1 BAT3 GEN14] a batch with %s is refused with the index', (_what, operations, code, details) => {
    const scene = createScenario();
    const outcome = run(scene, operations);
    expect(outcome).toMatchObject({ error: code, details, changes: [] });
    // A refusal of the whole list has no index.
    const isWhole = 'path' in details && details.path === 'operations';
    expect('details' in outcome && 'index' in (outcome.details ?? {})).toBe(!isWhole);
    expect(scene.nodes.size).toBe(0);
  });

  test('[BAT3] all payloads are checked before the first operation: a bad last payload comes before a refusal of the first operation', () => {
    const scene = createScenario();
    const operations = [{ event: 'node:trash', payload: { id: bob.id } }, add('a', { title: 7 })];
    expect(run(scene, operations)).toMatchObject({ error: 'bad_request.invalid_title', details: { index: 1 } });
    expect(run(scene, operations.slice(0, 1))).toMatchObject({ error: 'not_found', details: { index: 0 } });
  });
});

describe('names', () => {
  test.each(['a', '__proto__', 'constructor', '-', 'x'.repeat(64)])('[BAT2] %s names the created entity', (name) => {
    const scene = createScenario();
    const operations: Operations = [
      add(name, { title: `$${name}`, tags: [`$${name}.link`] }),
      add('child', { target: `$${name}` }),
      { event: 'link:update', payload: { id: '$child.link', type: 1 } },
      add('other'),
      { event: 'link:add', payload: { source: '$other', target: `$${name}` }, as: 'link' },
      { event: 'link:trash', payload: { id: '$link' } },
    ];
    const { error, results } = run(scene, operations);
    expect(error).toBeNull();
    const [root, child, , other, link] = results;
    expect(results).toEqual([{ id: root?.id }, { id: child?.id, link: child?.link }, {}, { id: other?.id }, link, {}]);
    expect(scene.nodes.get(root?.id ?? '')).toMatchObject({ title: `$${name}`, tags: [`$${name}.link`] });
    expect(scene.links.get(child?.link ?? '')).toMatchObject({ source: child?.id, target: root?.id, type: 1 });
    expect(scene.links.get(link?.id ?? '')).toMatchObject({ source: other?.id, target: root?.id, inTrash: true });
  });

  test.each<[string, Operations, string, number]>([
    ['unknown', [add('a'), add('b', { target: '$c' })], 'bad_request.unknown_name', 1],
    ['its own', [add('a', { target: '$a' })], 'bad_request.unknown_name', 0],
    ['defined later', [add(undefined, { target: '$b' }), add('b')], 'bad_request.unknown_name', 0],
    ['nothing', [add('a'), add(undefined, { target: '$' })], 'bad_request.unknown_name', 1],
    [
      'of a missing link',
      [add('a'), { event: 'link:trash', payload: { id: '$a.link' } }],
      'bad_request.unknown_name',
      1,
    ],
    [
      'the name of an inherited property',
      [add(), add(undefined, { target: '$__proto__' })],
      'bad_request.unknown_name',
      1,
    ],
    ['defined twice', [add('a'), add('b'), add('a')], 'bad_request.duplicate_name', 2],
    [
      'on an operation without new entities',
      [add('a'), { event: 'node:trash', payload: { id: '$a' }, as: 'b' }],
      'bad_request.unknown_field',
      1,
    ],
    [
      'of a link to itself',
      [add('a'), { event: 'link:add', payload: { source: '$a', target: '$a' } }],
      'bad_request.self_link',
      1,
    ],
    [
      'of a link instead of a node',
      [add('a'), add('b', { target: '$a' }), { event: 'node:trash', payload: { id: '$b.link' } }],
      'not_found',
      2,
    ],
  ])('[BAT2] a name %s', (_what, operations, code, index) => {
    expect(run(createScenario(), operations)).toMatchObject({ error: code, details: { index }, changes: [] });
  });

  test('[BAT2] an id that resembles the internal id of a name is an ordinary id', () => {
    for (const number of [0, 1, 2]) {
      const id = composeId(0, 0, number, new Uint8Array(6));
      const operations = [add('a'), { event: 'node:trash', payload: { id } }, add()];
      expect(run(createScenario(), operations)).toMatchObject({ error: 'not_found', details: { index: 1 } });
    }
  });

  test('[BAT2 LNK6] a name also stands for a restored link', () => {
    const scene = createScenario();
    const [source, target] = [scene.node(), scene.node()];
    const id = scene.link(source, target, { inTrash: true });
    const operations = [
      { event: 'link:add', payload: { source, target }, as: 'l' },
      { event: 'link:update', payload: { id: '$l', private: true } },
    ];
    expect(run(scene, operations).results).toEqual([{ id }, {}]);
    expect(scene.links.get(id)).toMatchObject({ inTrash: false, private: true });
  });
});

test('[BAT3] each operation is decided on the state after the previous ones, including lost rights', () => {
  const scene = createScenario();
  const node = scene.node();
  scene.grant(node, bob, Level.ADMIN);
  const leave = { event: 'node:access:delete', payload: { id: node, email: bob.email } };
  const rename = { event: 'node:update', payload: { id: node, title: 'x' } };
  expect(run(scene, [leave, rename], bob)).toMatchObject({ error: 'forbidden', details: { index: 1 }, changes: [] });
  expect(scene.grants.size).toBe(1);
  expect(run(scene, [rename, leave], bob).error).toBeNull();
  expect(scene.nodes.get(node)?.title).toBe('x');
});

test('[BAT3 BLK4] details name the obstacle and the index', () => {
  const scene = createScenario();
  const operations = [add('a'), add('b', { target: '$a' }), { event: 'node:update', payload: { id: '$a', status: 3 } }];
  const { error, details } = run(scene, operations);
  expect({ error, index: details?.index }).toEqual({ error: 'conflict.node_blocked', index: 2 });
  expect(details?.blockers).toHaveLength(1);
});

test('[BAT4] one slice shows every version step once', () => {
  const scene = createScenario();
  const [node, blocker] = [scene.node(), scene.node()];
  const { diff, slices, changes } = run(scene, [
    { event: 'node:update', payload: { id: node, title: 'one' } },
    { event: 'link:add', payload: { source: blocker, target: node } },
    { event: 'node:update', payload: { id: blocker, status: Status.COMPLETED } },
    { event: 'node:update', payload: { id: node, title: 'two', status: 1 } },
  ]);
  const steps = diff.nodes.filter(({ after }) => after.id === node).map(({ op, after }) => [op, after.version]);
  expect(steps).toEqual([
    [Op.NODE_UPDATE, 2],
    [Op.NODE_STATUS, 3],
    [Op.NODE_STATUS, 4],
    [Op.NODE_UPDATE, 5],
    [Op.NODE_STATUS, 6],
  ]);
  expect([...slices.keys()]).toEqual([userFeed(ann.id)]);
  expect(new Set(changes.flatMap((change) => ('step' in change ? [change.step] : [])))).toEqual(new Set([0, 1, 2, 3]));
});

test('[BAT4 ACL7] the grantee of a grant that is given and removed again receives nothing', () => {
  const scene = createScenario();
  const node = scene.node({ title: 'secret' });
  const { slices, error } = run(scene, [
    { event: 'node:access', payload: { id: node, email: bob.email, level: 1 } },
    { event: 'node:update', payload: { id: node, title: 'also secret' } },
    { event: 'node:access:delete', payload: { id: node, email: bob.email } },
  ]);
  expect(error).toBeNull();
  expect([...slices.keys()]).toEqual([userFeed(ann.id)]);
});

test('[BAT4 EVT4] a grant that is removed and given again changes no epoch', () => {
  const scene = createScenario();
  const node = scene.node();
  scene.grant(node, bob, Level.VIEWER, { branch: true });
  const epoch = scene.feeds.get(branchFeed(node))?.epoch;
  const again = { event: 'node:access', payload: { id: node, email: bob.email, level: 3 } };
  const take = { event: 'node:access:delete', payload: { id: node, email: bob.email } };
  const { slices } = run(scene, [take, again]);
  expect(slices.get(userFeed(bob.id))?.access).toEqual([]);
  expect(scene.feeds.get(branchFeed(node))).toMatchObject({ epoch, grants: 1 });
  // At another level, the reply names that level.
  const higher = { ...again, payload: { ...again.payload, level: 1 } };
  expect(run(scene, [take, higher]).slices.get(userFeed(bob.id))?.access).toMatchObject([
    { change: 'level', level: 1 },
  ]);
  expect(run(scene, [take]).slices.get(userFeed(bob.id))?.access).toMatchObject([{ change: 'lost' }]);
  expect(scene.feeds.get(branchFeed(node))?.epoch).toBe(Number(epoch) + 1);
});

test('[BAT4] an entity that is created and deleted again is shown to no reader, and its id is not reused', () => {
  const scene = createScenario();
  const root = scene.node();
  scene.grant(root, bob, Level.VIEWER, { branch: true });
  const { diff, slices, results, error } = run(scene, [
    add('n', { target: root, title: 'gone' }),
    { event: 'node:trash', payload: { id: '$n' } },
    { event: 'node:delete', payload: { id: '$n' } },
  ]);
  expect(error).toBeNull();
  const id = results[0]?.id ?? '';
  expect(JSON.stringify([diff, ...slices.values()])).not.toContain(id);
  expect(scene.nodes.has(id)).toBe(false);
});

test('[BAT4 EVT1] readers who lose a node see its other version steps without fields', () => {
  const scene = createScenario();
  const [root, node] = [scene.node(), scene.node()];
  scene.grant(root, bob, Level.VIEWER, { branch: true });
  scene.link(node, root);
  const operations = [
    { event: 'node:update', payload: { id: node, title: 'secret' } },
    { event: 'node:trash', payload: { id: node } },
  ];
  const { slices, diffs } = run(scene, operations);
  const told = slices.get(branchFeed(root))?.changes.filter(({ id }) => id === node);
  expect(told?.map(({ op }) => op)).toEqual([Op.NODE_UPDATE, Op.NODE_TRASH]);
  expect(JSON.stringify(diffs.get(branchFeed(root)))).not.toContain('secret');
  // Its owner sees the trash.
  expect(JSON.stringify(diffs.get(userFeed(ann.id)))).toContain('secret');
});

test('[BAT4 EVT2] readers who gain a node by a batch do not see its earlier content', () => {
  const scene = createScenario();
  const [root, node] = [scene.node(), scene.node({ title: 'secret' })];
  scene.grant(root, bob, Level.VIEWER, { branch: true });
  const rename = (title: string) => ({ event: 'node:update', payload: { id: node, title } });
  const move = { event: 'link:add', payload: { source: node, target: root, type: 1 } };
  const { slices, diffs } = run(scene, [rename('between'), rename('open'), move, rename('later')]);
  const told = JSON.stringify(diffs.get(branchFeed(root)));
  expect(told).not.toMatch(/secret|between/);
  expect(told).toContain('later');
  expect(slices.get(branchFeed(root))?.joined.nodes).toEqual([node]);
  expect(JSON.stringify(diffs.get(userFeed(ann.id)))).toContain('secret');
  // New readers of a feed without readers read it from scratch.
  const share = { event: 'node:access', payload: { id: node, email: cy.email, level: Level.VIEWER, branch: false } };
  const { diffs: shared } = run(scene, [rename('final'), share]);
  expect(shared.has(userFeed(cy.id))).toBe(true);
  expect(JSON.stringify([shared.get(nodeFeed(node)), shared.get(userFeed(cy.id))])).not.toMatch(/later|final/);
});

test('[BAT4 PUB4] readers who gain the ends of a link that the batch trashed first do not see the link', () => {
  const scene = createScenario();
  const [root, member, node] = [scene.node(), scene.node(), scene.node()];
  scene.link(member, root, { type: 1 });
  const gone = scene.link(member, node, { type: 1 });
  scene.run('node:publish', { id: root, branch: true });
  const move = { event: 'link:add', payload: { source: node, target: root, type: 1 } };
  const { diffs } = run(scene, [{ event: 'link:trash', payload: { id: gone } }, move]);
  expect(JSON.stringify(diffs.get(branchFeed(root)))).not.toContain(gone);
  expect(JSON.stringify(diffs.get(userFeed(ann.id)))).toContain(gone);
});

test('[BAT4 LNK9] other readers never see a link that the batch makes private', () => {
  const scene = createScenario();
  const [source, target] = [scene.node(), scene.node()];
  for (const node of [source, target]) scene.grant(node, cy, Level.VIEWER);
  const operations = [
    { event: 'link:add', payload: { source, target, type: 1 }, as: 'l' },
    { event: 'link:update', payload: { id: '$l', private: true } },
  ];
  const { slices, results } = run(scene, operations);
  expect([...slices.keys()]).toEqual([userFeed(ann.id)]);
  const open = run(scene, [{ event: 'link:update', payload: { id: results[0]?.id, private: false } }]);
  expect([...open.slices.keys()]).toContain(userFeed(cy.id));
});

describe('undo', () => {
  function changed() {
    const scene = createScenario();
    const [root, node] = [scene.node({ title: 'before' }), scene.node()];
    const { batchId, results } = run(scene, [
      { event: 'node:update', payload: { id: root, title: 'between' } },
      add('n', { target: root }),
      { event: 'node:update', payload: { id: root, title: 'after' } },
      { event: 'node:access', payload: { id: '$n', email: bob.email, level: 2 } },
      { event: 'node:trash', payload: { id: node } },
      { event: 'node:restore', payload: { id: node } },
      { event: 'node:trash', payload: { id: node } },
    ]);
    return { scene, root, node, batchId, createdIds: results[1]?.id ?? '' };
  }

  test('[BAT5 HIS2] reverts all operations, the last first, and redo applies them all again', () => {
    const { scene, root, node, batchId, createdIds } = changed();
    const undone = scene.run('batch:undo', { batchId });
    expect(undone.error).toBeNull();
    expect(scene.nodes.get(root)).toMatchObject({ title: 'before', status: Status.AVAILABLE });
    expect([scene.nodes.get(node)?.inTrash, scene.nodes.get(createdIds)?.inTrash, scene.grants.size]).toEqual([
      false,
      true,
      0,
    ]);
    const redone = scene.run('batch:redo', { batchId });
    expect(redone.error).toBeNull();
    expect(scene.nodes.get(root)).toMatchObject({ title: 'after', status: Status.BLOCKED });
    expect([scene.nodes.get(node)?.inTrash, scene.nodes.get(createdIds)?.inTrash, scene.grants.size]).toEqual([
      true,
      false,
      1,
    ]);
    expect(scene.run('batch:undo', { batchId: redone.batchId }).error).toBeNull();
    expect(scene.nodes.get(root)?.title).toBe('before');
  });

  test('[BAT5 HIS2] is refused as a whole if a later batch changed its result', () => {
    const { scene, root, createdIds, batchId } = changed();
    const later = scene.run('node:update', { id: root, title: 'later' });
    const refused = scene.run('batch:undo', { batchId });
    expect(refused).toMatchObject({ error: 'version_conflict', changes: [] });
    expect(refused.details?.conflicts).toMatchObject([{ entity: root, field: 'title', batchId: later.batchId }]);
    expect(scene.nodes.get(createdIds)?.inTrash).toBe(false);
    // Intermediate values do not conflict.
    scene.run('node:update', { id: root, title: 'after' });
    expect(scene.run('batch:undo', { batchId }).error).toBeNull();
  });

  test('[BAT5 HIS2 BLK3] is refused for statuses set since then, not for those of its own operations', () => {
    const scene = createScenario();
    const id = scene.node();
    // Side effects of the second and third operation leave it In progress, although the first set
    // Completed.
    const { batchId, results } = run(scene, [
      { event: 'node:update', payload: { id, status: Status.COMPLETED } },
      add('n', { target: id }),
      { event: 'link:update', payload: { id: '$n.link', type: 1 } },
    ]);
    expect(scene.nodes.get(id)?.status).toBe(Status.IN_PROGRESS);
    const undone = scene.run('batch:undo', { batchId });
    expect(undone.error).toBeNull();
    expect(scene.nodes.get(id)?.status).toBe(Status.AVAILABLE);
    expect(scene.run('batch:redo', { batchId }).error).toBeNull();
    expect(scene.nodes.get(id)?.status).toBe(Status.IN_PROGRESS);
    expect(scene.nodes.get(results[1]?.id ?? '')?.inTrash).toBe(false);
    const later = scene.run('node:update', { id, status: Status.AVAILABLE });
    const refused = scene.run('batch:undo', { batchId });
    expect(refused).toMatchObject({ error: 'version_conflict', changes: [] });
    expect(refused.details?.conflicts).toMatchObject([{ entity: id, field: 'status', batchId: later.batchId }]);
  });

  test('[BAT5 HIS2] is allowed if the batch restored a node with its former status', () => {
    const scene = createScenario();
    const id = scene.node();
    const operations = [
      { event: 'node:update', payload: { id, status: Status.COMPLETED } },
      { event: 'node:trash', payload: { id } },
      { event: 'node:restore', payload: { id } },
    ];
    const { batchId } = run(scene, operations);
    expect(scene.run('batch:undo', { batchId }).error).toBeNull();
    expect(scene.nodes.get(id)).toMatchObject({ inTrash: false, status: Status.AVAILABLE });
    expect(scene.run('batch:redo', { batchId }).error).toBeNull();
    expect(scene.nodes.get(id)).toMatchObject({ inTrash: false, status: Status.COMPLETED });
  });

  test('[BAT5 TRS3] leaves a link in the trash that the batch trashed and whose other end was trashed since', () => {
    const scene = createScenario();
    const [source, target] = [scene.node(), scene.node()];
    const { batchId, results } = run(scene, [
      { event: 'link:add', payload: { source, target, type: 1 } },
      { event: 'node:trash', payload: { id: source } },
    ]);
    const link = results[0]?.id ?? '';
    scene.run('node:trash', { id: target });
    expect(scene.run('batch:undo', { batchId }).error).toBeNull();
    expect([scene.nodes.get(source)?.inTrash, scene.links.get(link)?.inTrash]).toEqual([false, true]);
    // Its addition is undone, so it does not return with its end.
    scene.run('node:restore', { id: target });
    expect(scene.links.get(link)?.inTrash).toBe(true);
  });

  test('[BAT5 HIS3] is refused as a whole to callers who may not revert one of its operations', () => {
    const { scene, root, batchId } = changed();
    scene.grant(root, bob, Level.EDITOR, { branch: true });
    expect(scene.run('batch:undo', { batchId }, bob)).toMatchObject({ error: 'forbidden', changes: [] });
    expect(scene.run('batch:undo', { batchId }, cy).error).toBe('not_found');
  });
});

test('[BAT6 GEN10] a version guard is checked when its operation runs', () => {
  const scene = createScenario();
  const id = scene.node();
  const update = (title: string, version: number) => ({ event: 'node:update', payload: { id, title, version } });
  expect(run(scene, [update('a', 1), update('b', 2)]).error).toBeNull();
  const stale = run(scene, [update('c', 3), update('d', 3)]);
  expect(stale).toMatchObject({ error: 'version_conflict', details: { version: 4, index: 1 }, changes: [] });
});

test('[BAT6 GEN9] without changes there is no batch, but a result for each operation', () => {
  const scene = createScenario();
  const id = scene.node({ title: 'same' });
  const { diff, results, changes } = run(scene, [
    { event: 'node:update', payload: { id, title: 'same' } },
    { event: 'node:update', payload: { id, title: 'same' } },
  ]);
  expect([diff.batchId, results, changes]).toEqual([null, [{}, {}], []]);
});

test('[BAT4 NODE3 ACL2] a branch that is created and shared in one batch looks like an existing one', () => {
  const scene = createScenario();
  const { results, slices } = run(scene, [
    add('root', { title: 'plan' }),
    add('child', { target: '$root' }),
    { event: 'node:access', payload: { id: '$root', email: bob.email, level: 2, branch: true } },
    { event: 'node:access', payload: { id: '$child', email: cy.email, level: 3, branch: false } },
  ]);
  const [root, child] = results.map(({ id }) => id ?? '') as [string, string];
  expect([bob, cy].map((user) => scene.level(child, user))).toEqual([Level.EDITOR, Level.VIEWER]);
  expect(slices.get(userFeed(bob.id))?.access).toMatchObject([{ feed: branchFeed(root), change: 'gained' }]);
  expect(slices.get(userFeed(cy.id))?.access).toMatchObject([{ feed: nodeFeed(child), change: 'gained' }]);
  const mine = run(
    scene,
    [add('g', { target: child }), { event: 'node:update', payload: { id: '$g', title: 'x' } }],
    bob,
  );
  expect(mine.error).toBeNull();
  expect(scene.nodes.get(mine.results[0]?.id ?? '')).toMatchObject({ ownerId: ann.id, title: 'x' });
});
