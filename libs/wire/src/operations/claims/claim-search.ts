// The search that narrows a queue to the nodes that its conditions find. Rule: CLAIM1.
import { Status } from '../../codes.ts';

type Conditions = Readonly<Record<string, unknown>>;

/** The statuses of nodes that may be claimed: a node in progress if its claim has ended. */
const CLAIMABLE: readonly Status[] = [Status.AVAILABLE, Status.IN_PROGRESS];

/** Adds a condition on the status, unless there is one. */
export function claimSearch(where: Conditions): Conditions {
  return where.status === undefined ? { ...where, status: CLAIMABLE } : where;
}
