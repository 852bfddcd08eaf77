// The plan of a replica as a store for React: the same object until the plan changes. Rule: PLAN7.
import { TaskgraphError } from '../error.ts';
import type { Replica } from '../replica/contract.ts';
import type { PlanOptions, ReplicaPlan } from '../replica/replica-plan.ts';
import type { Unsubscribe } from '../session.ts';

/** The two functions that `useSyncExternalStore` needs. */
export interface PlanStore {
  /** The plan; undefined while there is none. The same object until it changes. */
  read(): ReplicaPlan | undefined;
  /**
   * Calls the listener when `read` returns another object. Returns a function that ends this. One
   * listener at a time.
   */
  subscribe(listener: () => void): Unsubscribe;
}

export function planStoreOf(
  replica: Pick<Replica, 'plan' | 'watchPlan' | 'snapshot'>,
  options: PlanOptions,
): PlanStore {
  let isWatched = false;
  let last: { readonly revision: number; readonly plan: ReplicaPlan | undefined } | null = null;
  const store = (plan: ReplicaPlan | undefined) => {
    last = { revision: replica.snapshot().revision, plan };
    return plan;
  };
  const read = () => {
    // A component reads before it subscribes. The revision reveals changes in between.
    const isCurrent = last !== null && (isWatched || last.revision === replica.snapshot().revision);
    return isCurrent ? last?.plan : store(planNow(replica, options));
  };
  return {
    read,
    subscribe(listener) {
      const end = replica.watchPlan(options, (plan) => {
        store(plan ?? undefined);
        listener();
      });
      // The watcher reports no earlier changes, so read the current plan now.
      read();
      isWatched = true;
      return () => {
        isWatched = false;
        end();
      };
    },
  };
}

function planNow(replica: Pick<Replica, 'plan'>, options: PlanOptions): ReplicaPlan | undefined {
  try {
    return replica.plan(options);
  } catch (error) {
    if (error instanceof TaskgraphError) return undefined;
    throw error;
  }
}
