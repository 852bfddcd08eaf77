// The common steps of commands on one existing link: look-up, checks, effect, new statuses. Rule:
// GEN3.

import type { Draft } from '@taskgraph/domain/decision/draft';
import { recomputeStatuses } from '@taskgraph/domain/decision/status-cascade';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import type { VersionedId } from '@taskgraph/wire/operations/payloads';
import type { DecisionContext } from '../define-command.ts';
import { type Caller, callerOf, type LinkWithEnds, linkWithEnds, refuseStale } from './caller.ts';

/** The input of a command on a link. */
interface LinkRequest<P> {
  readonly draft: Draft;
  readonly caller: Caller;
  readonly payload: P;
  readonly context: DecisionContext;
}

interface LinkCommand<P> {
  /** Refuses a caller without permission. */
  readonly refuseCaller: (ends: LinkWithEnds, request: LinkRequest<P>) => Refusal | null;
  readonly refuseState: (ends: LinkWithEnds) => Refusal | null;
  readonly act: (ends: LinkWithEnds, request: LinkRequest<P>) => Refusal | null;
}

/**
 * The `decide` of a command on a link. Checks in order: existence, permission, state, version
 * guard, effect.
 */
export function decideOnLink<P extends VersionedId>({ refuseCaller, refuseState, act }: LinkCommand<P>) {
  return (draft: Draft, payload: P, context: DecisionContext): Refusal | null => {
    const caller = callerOf(draft, context);
    const ends = linkWithEnds(draft, caller, payload.id);
    if (isRefusal(ends)) return ends;
    const request = { draft, caller, payload, context };
    const refusal =
      refuseCaller(ends, request) ?? refuseState(ends) ?? refuseStale(ends.link, payload.version) ?? act(ends, request);
    if (refusal === null) recomputeStatuses(draft);
    return refusal;
  };
}
