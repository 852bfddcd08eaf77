// The time of completion: set and removed with the status, and restored with it.
import { Op, Status } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import { createScenario, type Scenario } from '../test/support/scenario.ts';

const timeOf = (scene: Scenario, id: string) => scene.nodes.get(id)?.completedTime;
const setStatus = (scene: Scenario, id: string, status: Status) => scene.run('node:update', { id, status });

/** A node that was completed, the time of that, and its batch. */
function completedNode(scene: Scenario) {
  const id = scene.node();
  const { diff, batchId } = setStatus(scene, id, Status.COMPLETED);
  return { id, time: diff.ts, batchId };
}

describe('[BLK11] the time of completion', () => {
  test('is part of the entry of the status', () => {
    const scene = createScenario();
    const id = scene.node();
    const done = setStatus(scene, id, Status.COMPLETED).diff;
    const open = { id, version: 1, status: Status.AVAILABLE, completedTime: null };
    const completed = { id, version: 2, status: Status.COMPLETED, completedTime: done.ts };
    expect(done.nodes).toEqual([
      { op: Op.NODE_STATUS, before: open, after: { ...completed, shareRoots: [], lastEditedTime: done.ts } },
    ]);
    const reopened = setStatus(scene, id, Status.IN_PROGRESS).diff;
    const again = { id, version: 3, status: Status.IN_PROGRESS, completedTime: null };
    expect(reopened.nodes).toEqual([
      { op: Op.NODE_STATUS, before: completed, after: { ...again, shareRoots: [], lastEditedTime: reopened.ts } },
    ]);
  });

  test.each([
    [Status.AVAILABLE, false],
    [Status.IN_PROGRESS, false],
    [Status.COMPLETED, true],
  ])('of a node that is created with status %i is the time of its creation: %j', (status, isSet) => {
    const scene = createScenario();
    const { diff } = scene.run('node:add', { status });
    expect(diff.nodes[0]?.after).toMatchObject({ createdTime: diff.ts, completedTime: isSet ? diff.ts : null });
  });

  test('of operations of a batch is the time of the batch', () => {
    const scene = createScenario();
    const id = scene.node();
    const operations = [
      { event: 'node:add', payload: { status: Status.COMPLETED } },
      { event: 'node:update', payload: { id, status: Status.COMPLETED } },
    ];
    const { diff } = scene.run('batch:run', { operations });
    expect(diff.nodes.map(({ after }) => after.completedTime)).toEqual([diff.ts, diff.ts]);
  });

  test('stays while the node stays Completed, in the trash too', () => {
    const scene = createScenario();
    const { id, time } = completedNode(scene);
    for (const [event, fields] of [
      ['node:update', { title: 'new', status: Status.COMPLETED }],
      ['node:trash', {}],
      ['node:restore', {}],
    ] as const) {
      const { error, diff } = scene.run(event, { id, ...fields });
      expect([error, timeOf(scene, id)]).toEqual([null, time]);
      expect(diff.nodes[0]?.before).not.toHaveProperty('completedTime');
    }
  });

  test('is removed when the node becomes Blocked, and unblocking does not bring it back', () => {
    const scene = createScenario();
    const [{ id }, blocker] = [completedNode(scene), scene.node()];
    scene.run('link:add', { source: blocker, target: id });
    expect(scene.nodes.get(id)).toMatchObject({ status: Status.BLOCKED, completedTime: null });
    setStatus(scene, blocker, Status.COMPLETED);
    expect(scene.nodes.get(id)).toMatchObject({ status: Status.IN_PROGRESS, completedTime: null });
  });

  test.each(['node:add', 'node:update'])('cannot be written by %s', (event) => {
    const scene = createScenario();
    const named = event === 'node:add' ? {} : { id: scene.node() };
    const payload = { ...named, status: Status.COMPLETED, completedTime: '2026-01-01T00:00:00.000Z' };
    expect(scene.run(event, payload)).toMatchObject({
      error: 'bad_request.immutable_field',
      details: { path: 'completedTime' },
    });
  });
});

describe('[BLK11 HIS2] undo and redo', () => {
  test('restore the time with the status', () => {
    const scene = createScenario();
    const { id, time, batchId } = completedNode(scene);
    const reopening = setStatus(scene, id, Status.AVAILABLE).batchId;
    scene.run('batch:undo', { batchId: reopening });
    expect(timeOf(scene, id)).toBe(time);
    scene.run('batch:redo', { batchId: reopening });
    expect(timeOf(scene, id)).toBeNull();
    scene.run('batch:undo', { batchId: reopening });
    scene.run('batch:undo', { batchId });
    expect(timeOf(scene, id)).toBeNull();
    expect(scene.run('batch:redo', { batchId }).diff.nodes).toMatchObject([
      { op: Op.NODE_STATUS, before: { completedTime: null }, after: { completedTime: time } },
    ]);
    expect(timeOf(scene, id)).toBe(time);
  });

  test('restore the time that a side effect removed', () => {
    const scene = createScenario();
    const [{ id, time }, blocker] = [completedNode(scene), scene.node()];
    const { batchId } = scene.run('link:add', { source: blocker, target: id });
    scene.run('batch:undo', { batchId });
    expect(scene.nodes.get(id)).toMatchObject({ status: Status.COMPLETED, completedTime: time });
    scene.run('batch:redo', { batchId });
    expect(scene.nodes.get(id)).toMatchObject({ status: Status.BLOCKED, completedTime: null });
  });

  test('of a batch that reopened and completed a node restore the former time', () => {
    const scene = createScenario();
    const { id, time } = completedNode(scene);
    const statuses = [Status.AVAILABLE, Status.COMPLETED];
    const operations = statuses.map((status) => ({ event: 'node:update', payload: { id, status } }));
    const { batchId, diff } = scene.run('batch:run', { operations });
    expect(timeOf(scene, id)).toBe(diff.ts);
    scene.run('batch:undo', { batchId });
    expect(timeOf(scene, id)).toBe(time);
    scene.run('batch:redo', { batchId });
    expect(timeOf(scene, id)).toBe(diff.ts);
  });

  test('leave a time that was not known unknown', () => {
    const scene = createScenario();
    const id = scene.node({ status: Status.COMPLETED });
    const { batchId } = setStatus(scene, id, Status.AVAILABLE);
    scene.run('batch:undo', { batchId });
    expect(scene.nodes.get(id)).toMatchObject({ status: Status.COMPLETED, completedTime: null });
  });

  test('give their own time to a node that was Blocked when the status was restored', () => {
    const scene = createScenario();
    const { id, time, batchId } = completedNode(scene);
    const blocker = scene.node();
    scene.run('link:add', { source: blocker, target: id });
    scene.run('batch:undo', { batchId });
    scene.run('node:trash', { id: blocker });
    const { error, diff } = scene.run('batch:redo', { batchId });
    expect([error, timeOf(scene, id)]).toEqual([null, diff.ts]);
    expect(diff.ts > time).toBe(true);
  });
});
