// The plan of a replica as React reads it: one object until the plan moves, and a way to hear of that. Rule: PLAN7.
import { TaskgraphError } from '../error.ts';
import type { Replica } from '../replica/contract.ts';
import type { PlanOptions, ReplicaPlan } from '../replica/replica-plan.ts';
import type { Unlisten } from '../session.ts';

/** The two functions that `useSyncExternalStore` asks for. */
export interface PlanStore {
  /** The plan, or undefined while there is none. The same object until it moves. */
  read(): ReplicaPlan | undefined;
  /** Calls the listener when `read` gives something else; gives a function that ends this. One listener at a time. */
  subscribe(listener: () => void): Unlisten;
}

export function planStoreOf(
  replica: Pick<Replica, 'plan' | 'watchPlan' | 'snapshot'>,
  options: PlanOptions,
): PlanStore {
  let isWatched = false;
  let last: { readonly revision: number; readonly plan: ReplicaPlan | undefined } | null = null;
  const take = (plan: ReplicaPlan | undefined) => {
    last = { revision: replica.snapshot().revision, plan };
    return plan;
  };
  const read = () => {
    // A component reads before it is told of anything; what moves in between is seen by the revision.
    const isCurrent = last !== null && (isWatched || last.revision === replica.snapshot().revision);
    return isCurrent ? last?.plan : take(planNow(replica, options));
  };
  return {
    read,
    subscribe(listener) {
      const end = replica.watchPlan(options, (plan) => {
        take(plan ?? undefined);
        listener();
      });
      // From the same moment on as the watcher: it tells of nothing that came before.
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
