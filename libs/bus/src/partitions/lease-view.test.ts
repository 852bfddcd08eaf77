import { describe, expect, it } from 'vitest';
import { createLeaseView, type Heartbeat } from './lease-view.ts';

const beat = (leaving = false): Heartbeat => ({ instance: 'i', session: 1, count: 1, leaving });
const nobody = new Set<number>();
const all = new Set(Array.from({ length: 64 }, (_, partition) => partition));
const actions = (found: unknown[]) => [...new Set(found)];

describe('the view of a worker', () => {
  it('claims everything when it is alone', () => {
    expect(actions(createLeaseView('me', 5_000).decide(64, nobody, 0))).toEqual(['claim']);
  });

  it('leaves the partitions of a live worker, and requests its own share', () => {
    const view = createLeaseView('me', 5_000);
    view.recordHeartbeat('other', beat(), 1, 0);
    for (let partition = 0; partition < 64; partition++)
      view.recordLease(partition, { worker: 'other', revision: partition + 2 });
    expect(actions(view.decide(64, nobody, 4_999))).toEqual([null]);
    expect(actions(view.decide(64, nobody, 5_000))).toEqual(['claim']);
  });

  it('waits for the partitions that a leaving worker drains, and claims them when it has left', () => {
    const view = createLeaseView('me', 5_000);
    view.recordHeartbeat('other', beat(true), 1, 0);
    view.recordLease(0, { worker: 'other', revision: 2 });
    const [first, ...rest] = view.decide(64, nobody, 0);
    expect(first).toBeNull();
    expect(actions(rest)).toEqual(['claim']);
    view.recordHeartbeat('other', null, 3, 10);
    expect(view.decide(1, nobody, 10)).toEqual(['claim']);
  });

  it('adopts leases from before its restart, hands over surplus partitions, and clears unwanted ones', () => {
    const view = createLeaseView('me', 5_000);
    for (let partition = 0; partition < 64; partition++)
      view.recordLease(partition, { worker: 'me', revision: partition + 1 });
    expect(actions(view.decide(64, nobody, 0))).toEqual(['adopt']);
    expect(actions(view.decide(64, all, 0))).toEqual([null]);
    view.recordHeartbeat('other', beat(), 100, 0);
    expect(actions(view.decide(64, all, 0)).sort()).toEqual(['hand_over', null].sort());
    expect(actions(view.decide(64, nobody, 0)).sort()).toEqual(['adopt', 'clear']);
  });

  it('immediately loses partitions that another worker has, even a dead one, and renews cleared ones', () => {
    const view = createLeaseView('me', 5_000);
    view.recordLease(0, { worker: 'other', revision: 1 });
    expect(view.decide(1, new Set([0]), 0)).toEqual(['lose']);
    view.recordLease(0, { worker: null, revision: 2 });
    expect(view.decide(1, new Set([0]), 0)).toEqual(['renew']);
  });

  it('ignores updates that are older than its state', () => {
    const view = createLeaseView('me', 5_000);
    view.recordLease(0, { worker: 'me', revision: 5 });
    view.recordLease(0, { worker: null, revision: 4 });
    expect(view.lease(0)).toEqual({ worker: 'me', revision: 5 });
    view.reset(0);
    expect(view.lease(0)).toEqual({ worker: null, revision: 0 });
  });

  it('after a reset all leases get their full duration, even if the bucket was lost', () => {
    const view = createLeaseView('me', 5_000);
    view.recordHeartbeat('other', beat(), 90, 0);
    view.reset(20_000);
    expect(actions(view.decide(64, nobody, 24_999)).sort()).toEqual(['claim', null].sort());
    expect(actions(view.decide(64, nobody, 25_000))).toEqual(['claim']);
    view.recordHeartbeat('other', beat(), 1, 25_000);
    expect(actions(view.decide(64, nobody, 25_001)).sort()).toEqual(['claim', null].sort());
  });

  it('lists workers that can be removed, but never itself', () => {
    const view = createLeaseView('me', 5_000);
    view.recordHeartbeat('me', beat(), 1, 0);
    view.recordHeartbeat('other', null, 2, 0);
    expect(view.removableWorkers(60_000, 60_000)).toEqual([]);
    expect(view.removableWorkers(60_000, 60_001)).toEqual(['other']);
    view.forget('other');
    expect(view.removableWorkers(60_000, 60_001)).toEqual([]);
  });

  it('[ADMIN3] lists the workers that it saw, with the age of their heartbeats', () => {
    const view = createLeaseView('me', 5_000);
    view.recordHeartbeat('me', beat(), 1, 1_000);
    view.recordHeartbeat('gone', null, 2, 500);
    expect(view.workers(1_500)).toEqual([
      { name: 'gone', ageMs: 1_000, isLeaving: true },
      { name: 'me', ageMs: 500, isLeaving: false },
    ]);
  });
});
