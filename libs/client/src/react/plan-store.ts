// The plan of a replica as a store for React. Rule: PLAN7.
import { TaskgraphError } from '../error.ts';
import type { Replica } from '../replica/contract.ts';
import type { PlanOptions, ReplicaPlan } from '../replica/replica-plan.ts';
import { createWatchedStore, type WatchedStore } from './watched-store.ts';

export function planStoreOf(
  replica: Pick<Replica, 'plan' | 'watchPlan' | 'snapshot'>,
  options: PlanOptions,
): WatchedStore<ReplicaPlan> {
  return createWatchedStore<ReplicaPlan>({
    revision: () => replica.snapshot().revision,
    compute: () => planNow(replica, options),
    watch: (listener) => replica.watchPlan(options, listener),
  });
}

function planNow(replica: Pick<Replica, 'plan'>, options: PlanOptions): ReplicaPlan | undefined {
  try {
    return replica.plan(options);
  } catch (error) {
    if (error instanceof TaskgraphError) return undefined;
    throw error;
  }
}
