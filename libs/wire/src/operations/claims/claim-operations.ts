// The operations on claims: an agent takes a ready node for a limited time. Rules: CLAIM1 to CLAIM4.
import { z } from 'zod';
import { type Refusal, refuseField } from '../../errors.ts';
import { anyId } from '../../ids.ts';
import { changed, claimed } from '../answers.ts';
import { EXAMPLE } from '../examples.ts';
import { checkSearch, findConditions } from '../find-operations.ts';
import { COMMAND, ON_ENTITY, type Operation } from '../operation.ts';
import { named } from '../payloads.ts';
import { CONTENT_PUSHES } from '../pushes.ts';
import { claimSearch } from './claim-search.ts';

/** Minutes. */
const LONGEST_LEASE = 1_440;
const USUAL_LEASE = 30;

const command = { ...COMMAND, scope: 'edit', resource: 'node', pushes: CONTENT_PUSHES } as const;
const EDITOR = { least: 'editor', say: 'Editor on the node.' } as const;

const lease = z
  .int()
  .min(1)
  .max(LONGEST_LEASE)
  .default(USUAL_LEASE)
  .describe('The minutes from now until the claim ends.');
const claim = z.strictObject({
  id: anyId.optional().describe('The node to claim. Without it, the first node of the ready list that is free.'),
  root: anyId.optional().describe("The root of a branch; by default the caller's whole graph."),
  where: findConditions
    .optional()
    .describe('Conditions, as `node:find` takes them: at most 15, or 16 if `status` is among them.'),
  lease,
});
const claimId = anyId.describe('The `claimId` of the claim.');

export const claimOperations = {
  'node:claim': {
    ...command,
    moreScopes: ['read'],
    name: 'node:claim',
    transports: { rest: { method: 'POST', path: '/api/node/claim' }, socket: {} },
    summary: 'Claims a ready node for some time, so that no other agent works on it.',
    description:
      'Takes the first free node of the ready list of `graph:plan`: Available, or in progress by a claim that has ended. Sets it InProgress, adds the caller to `assignee`, and answers it with a `claimId`. If no node is free, `node` is null and nothing changes. Each claim has its own `claimId`, so agents of one user are distinct. Not an operation of `batch:run`.',
    payload: claim,
    check: checkClaim,
    answer: claimed,
    errors: [
      'not_found',
      'forbidden',
      'conflict.in_trash',
      'conflict.node_blocked',
      'conflict.claimed',
      'conflict.not_claimable',
    ],
    level: { least: 'editor', say: 'Editor on the node; viewer on `root`.' },
    rules: ['CLAIM1', 'CLAIM2', 'CLAIM4', 'PLAN3', 'FIND2'],
    example: { where: { tag: ['infrastructure'] }, lease: 15 },
  },
  'node:claim:renew': {
    ...command,
    name: 'node:claim:renew',
    transports: { rest: { method: 'PUT', path: '/api/node/claim' }, socket: {} },
    summary: "Sets the end of the caller's claim to `lease` minutes from now.",
    description:
      'A short `lease` sets an earlier end. A claim that has ended cannot be renewed, even if no other agent took the node.',
    payload: z.strictObject({ ...named.shape, claimId, lease }),
    answer: changed,
    errors: [...ON_ENTITY, 'conflict.in_trash', 'conflict.claim_ended'],
    level: EDITOR,
    rules: ['CLAIM2', 'CLAIM3', 'GEN10'],
    example: { id: EXAMPLE.node, claimId: EXAMPLE.claim, lease: 30 },
  },
  'node:claim:release': {
    ...command,
    name: 'node:claim:release',
    transports: { rest: { method: 'DELETE', path: '/api/node/claim' }, socket: {} },
    summary: 'Ends a claim without completing the node.',
    description:
      'The node becomes Available again, and a name that the claim added to `assignee` is removed. With `claimId`, only that claim is ended; without it, an editor ends whichever claim the node has.',
    payload: z.strictObject({ ...named.shape, claimId: claimId.optional() }),
    answer: changed,
    errors: [...ON_ENTITY, 'conflict.in_trash', 'conflict.claim_ended'],
    level: EDITOR,
    rules: ['CLAIM2', 'CLAIM3', 'GEN9', 'GEN10'],
    example: { id: EXAMPLE.node, claimId: EXAMPLE.claim },
  },
} as const satisfies Record<string, Operation>;

/** Rejects `where` that would make an invalid search of the queue. */
function checkClaim({ id, root, where }: z.infer<typeof claim>): Refusal | null {
  if (id !== undefined && (root !== undefined || where !== undefined)) {
    return refuseField('invalid', 'id', 'A claim of a node by its id has neither root nor where.');
  }
  return checkSearch({ where: claimSearch(where ?? {}) });
}
