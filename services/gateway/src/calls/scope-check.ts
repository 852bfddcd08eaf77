// Checks whether the scopes of a token allow a call. Workers check the changes of an undo or redo,
// which only they know. Rules: SCOPE1, SCOPE2.
import type { Refusal } from '@taskgraph/wire/errors';
import { atIndex } from '@taskgraph/wire/operations/batch-parser';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { operationOf } from '@taskgraph/wire/operations/operations';
import {
  CHANGE_SCOPES,
  isScope,
  mayChange,
  refuseMissingScopes,
  type Scope,
  type TokenScopes,
} from '@taskgraph/wire/scopes';

/** Refuses a call outside the scopes. The payload is valid. */
export function refuseOutsideScopes(
  { scope, moreScopes = [] }: Pick<Operation, 'scope' | 'moreScopes'>,
  payload: Readonly<Record<string, unknown>>,
  scopes: TokenScopes,
): Refusal | null {
  if (scopes === null || scope === 'none') return null;
  if (scope === 'changes') return mayChange(scopes) ? null : refuseMissingScopes(CHANGE_SCOPES, scopes);
  if (scope !== 'operations') return refuseMissingScopes([scope, ...moreScopes], scopes);
  for (const [index, { event }] of (payload.operations as readonly { readonly event: string }[]).entries()) {
    const refusal = refuseMissingScopes([scopeOf(event)], scopes);
    if (refusal !== null) return atIndex(refusal, index);
  }
  return null;
}

/** The scope of an operation of a batch; each of them names one. */
function scopeOf(event: string): Scope {
  const scope = operationOf(event)?.scope;
  if (scope === undefined || !isScope(scope)) throw new Error(`${event} declares no scope`);
  return scope;
}
