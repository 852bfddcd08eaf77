// Regressions: short scripts that once showed a difference between the model and the service. They
// are compared step by step, like random commands. Names in a payload stand for ids: `n1` for the
// first node that was created, `l1` for the first link, `b1` for the first batch, `@bob` for an
// e-mail.

import type { ModelCommand, ModelState, ModelUser } from '../state.ts';

/** The user, the event, its payload, and its key if it has one. */
export type ScriptLine = readonly [by: string, event: string, payload: Readonly<Record<string, unknown>>, key?: string];

/** The state before a line. */
interface ScriptState {
  readonly state: ModelState;
  readonly users: readonly ModelUser[];
  readonly ghosts: readonly string[];
}

/** The command of a line. */
export function commandOf([by, event, named, key]: ScriptLine, known: ScriptState): ModelCommand {
  const actor = known.users.find(({ username }) => username === by) as ModelUser;
  const payload = Object.fromEntries(Object.entries(named).map(([field, value]) => [field, idOf(value, known)]));
  return { actor, event, payload, key: key ?? null };
}

/** The id for a name such as `n1`, or the e-mail for a name such as `@bob`. */
function idOf(value: unknown, { state, users, ghosts }: ScriptState): unknown {
  if (typeof value !== 'string') return value;
  if (value.startsWith('@')) return users.find(({ username }) => username === value.slice(1))?.email;
  const [, kind, number] = /^([nlb])(\d+)$/.exec(value) ?? [];
  if (kind === undefined) return value;
  const lists = { n: state.nodes, l: state.links, b: state.batches };
  return lists[kind as keyof typeof lists][Number(number) - 1]?.id ?? ghosts[0];
}

const two = [
  ['ada', 'node:add', { title: 'title-1' }],
  ['ada', 'node:add', { title: 'title-2' }],
] as const satisfies readonly ScriptLine[];

/** By the fault, with its rule. */
export const REGRESSIONS: Readonly<Record<string, readonly ScriptLine[]>> = {
  'undo of a restore conflicted with a later edit (HIS2)': [
    ...two,
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'node:restore', { id: 'n1' }],
    ['ada', 'node:update', { id: 'n1', title: 'title-3', status: 1 }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
  ],
  'undo of a trash operation restored a node that another batch had trashed again (HIS2)': [
    ...two,
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'node:restore', { id: 'n1' }],
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
    ['ada', 'batch:undo', { batchId: 'b5' }],
  ],
  'undo of a redone status change on a Blocked node was refused (HIS2, BLK3)': [
    ...two,
    ['ada', 'node:update', { id: 'n1', status: 3 }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['ada', 'batch:redo', { batchId: 'b3' }],
    ['ada', 'batch:undo', { batchId: 'b6' }],
  ],
  'undo restored a status that had changed while the node was Blocked (BLK3)': [
    ...two,
    ['ada', 'node:update', { id: 'n1', status: 1 }],
    ['ada', 'node:update', { id: 'n1', status: 3 }],
    ['ada', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
    ['ada', 'batch:undo', { batchId: 'b5' }],
  ],
  'undo of the creation of a child conflicted with its link (HIS2)': [
    ...two,
    ['ada', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'link:swap', { id: 'l1' }],
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
  ],
  'an undo blocked and unblocked a node in one batch (BLK5)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['ada', 'node:add', { target: 'n1', title: 'title-2', status: 3 }],
    ['ada', 'link:swap', { id: 'l1' }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
  ],
  'undo restored a link type without `wasBlocker` (BLK9)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['ada', 'node:add', { target: 'n1', title: 'title-2' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'link:add', { source: 'n2', target: 'n1', type: 1 }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
  ],
  'a conflict named the batch of a grant (HIS2)': [
    ...two,
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'node:restore', { id: 'n1' }],
    ['ada', 'node:access', { id: 'n1', email: '@bob' }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
  ],
  'history named an invisible batch as undone (HIS7)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['ada', 'node:add', { title: 'title-2' }],
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'batch:undo', { batchId: 'b1' }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 1, branch: false }],
  ],
  'the trash showed the links of a trashed root (LNK7)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1 }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['bob', 'node:trash', { id: 'n1' }],
  ],
  'a user could restore a node that the restore would hide from them (TRS2, TRS3)': [
    ...two,
    ['ada', 'node:add', { title: 'title-3' }],
    ['ada', 'link:add', { source: 'n1', target: 'n3' }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['ada', 'node:access', { id: 'n3', email: '@bob', level: 2 }],
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'link:add', { source: 'n3', target: 'n2' }],
    ['bob', 'node:restore', { id: 'n1' }],
    ['ada', 'node:restore', { id: 'n1' }],
  ],
  'a link made private did not disappear for readers who see its ends by two feeds (EVT2)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', branch: false }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', branch: false }],
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'link:update', { id: 'l1', private: true }],
  ],
  'a deleted link was missing from the history of its creator (TRS5)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1 }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 1 }],
    ['bob', 'link:add', { source: 'n1', target: 'n2' }],
    ['bob', 'link:trash', { id: 'l1' }],
    ['bob', 'link:delete', { id: 'l1' }],
    ['bob', 'batch:undo', { batchId: 'b7' }],
  ],
  'a link became private when an editor restored it (LNK3, LNK7)': [
    ...two,
    ['bob', 'node:add', { title: 'title-3' }],
    ['ada', 'node:access', { id: 'n1', email: '@cy', level: 2 }],
    ['bob', 'node:access', { id: 'n3', email: '@cy', level: 1 }],
    ['cy', 'link:add', { source: 'n3', target: 'n1' }],
    ['bob', 'node:access:delete', { id: 'n3', email: '@cy' }],
    ['cy', 'link:trash', { id: 'l1' }],
    ['cy', 'link:restore', { id: 'l1' }],
  ],
  'a stale version was reported before the trashed node (GEN3)': [
    ...two,
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'node:update', { id: 'n1', title: 'title-3', version: 1 }],
    ['ada', 'node:trash', { id: 'n1', version: 1 }],
    ['ada', 'node:restore', { id: 'n2', version: 7 }],
  ],
  'a stale version was reported before the Blocked status (GEN3)': [
    ...two,
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'node:update', { id: 'n2', status: 3, version: 7 }],
    ['ada', 'node:update', { id: 'n2', title: 'title-3', version: 7 }],
  ],
  'a stale version was reported before the trashed end of the link (GEN3)': [
    ...two,
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'link:restore', { id: 'l1', version: 7 }],
  ],
  'a copied grant was hidden like its original (NODE3, ACL6)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:showing', { id: 'n1', showing: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }],
  ],
  'a redo expected the state before the undo (HIS5, LNK3)': [
    ...two,
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'node:update', { id: 'n2', independent: true }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
    ['ada', 'batch:redo', { batchId: 'b4' }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
  ],
  'a link trashed by an undo still propagated in the other direction (ACL3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'batch:undo', { batchId: 'b6' }],
    ['bob', 'link:restore', { id: 'l1' }],
    ['ada', 'link:restore', { id: 'l1' }],
  ],
  'a user who lost sight of a source by trashing its link could not undo that (LNK7, HIS3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['bob', 'link:trash', { id: 'l1' }],
    ['bob', 'batch:undo', { batchId: 'b5' }],
  ],
  'history omitted a trashed node that its reader would see after a restore (HIS7, TRS2)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['ada', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'node:update', { id: 'n3', title: 'title-4' }],
    ['ada', 'node:trash', { id: 'n3' }],
  ],
  'history omitted changes that are visible by a hidden grant (ACL6)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob' }],
    ['bob', 'node:showing', { id: 'n1', showing: false }],
    ['ada', 'node:update', { id: 'n1', title: 'title-3' }],
  ],
  'a branch below a node with a node grant was omitted although its reader had other access (PUB3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1, branch: false }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 1, branch: false }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['ada', 'node:publish', { id: 'n1', branch: true }],
  ],
  'a refusal revealed the existence of a batch to a former grantee (HIS3, HIS7)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1 }],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['bob', 'batch:undo', { batchId: 'b3' }],
    ['bob', 'batch:undo', { batchId: 'b4' }],
  ],
  'undo of a publication changed fields that the publication had not changed (HIS2)': [
    ...two,
    ['ada', 'node:publish', { id: 'n1', branch: true }],
    ['ada', 'node:publish:update', { id: 'n1', branch: false }],
    ['ada', 'node:publish:update', { id: 'n1', branch: true }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
    ['ada', 'node:unpublish', { id: 'n1' }],
    ['ada', 'batch:undo', { batchId: 'b5' }],
  ],
  'a conflict named an entity that its caller cannot see (HIS2, HIS7)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['ada', 'node:add', { target: 'n1', title: 'title-2' }],
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1 }],
    ['bob', 'node:trash', { id: 'n2' }],
    ['ada', 'node:restore', { id: 'n2' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['bob', 'batch:undo', { batchId: 'b4' }],
  ],
  'a repeated answer omitted deleted links of its caller, or named roots of trashed nodes (GEN8, TRS5)': [
    ...two,
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 1 }],
    ['ada', 'link:add', { source: 'n1', target: 'n2' }, 'key-1'],
    ['ada', 'node:update', { id: 'n2', title: 'title-3' }, 'key-2'],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'link:delete', { id: 'l1' }],
    ['ada', 'link:add', { source: 'n1', target: 'n2' }, 'key-1'],
    ['ada', 'node:trash', { id: 'n2' }],
    ['ada', 'node:update', { id: 'n2', title: 'title-3' }, 'key-2'],
  ],
  'a repeated answer named a node that its caller lost, by their own former grant (GEN8, ACL9)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }, 'key-1'],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }, 'key-1'],
  ],
  'a grant restored by undo still ended with its former original (NODE3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'node:access:delete', { id: 'n3', email: '@bob' }],
    ['ada', 'batch:undo', { batchId: 'b5' }],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
  ],
  'undo did not restore a copied grant on a trashed node (NODE3, HIS2)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'node:trash', { id: 'n3' }],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['ada', 'batch:undo', { batchId: 'b6' }],
    ['ada', 'node:restore', { id: 'n3' }],
  ],
  "a copied grant was restored at a level other than its original's (NODE3, HIS5)": [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }],
    ['bob', 'node:add', { target: 'n3', title: 'title-4' }],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['ada', 'node:access', { id: 'n3', email: '@bob', level: 3, branch: false }],
    ['ada', 'batch:undo', { batchId: 'b6' }],
  ],
  'redo of a narrowed grant checked only the right for the narrow grant (ACL4, HIS3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1, branch: true }],
    ['ada', 'node:access:update', { id: 'n1', email: '@bob', branch: false }],
    ['bob', 'batch:undo', { batchId: 'b4' }],
    ['bob', 'batch:redo', { batchId: 'b4' }],
  ],
  'undo of a swap left the link private (HIS2, LNK8)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['bob', 'node:add', { title: 'title-2' }],
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['bob', 'link:add', { source: 'n2', target: 'n1' }],
    ['bob', 'link:swap', { id: 'l1' }],
    ['bob', 'batch:undo', { batchId: 'b5' }],
  ],
  'the model reported a node that blocks by two links only once (BLK4, LNK6)': [
    ...two,
    ['ada', 'link:add', { source: 'n1', target: 'n2', private: true }],
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 2 }],
    ['bob', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'node:update', { id: 'n2', status: 3 }],
    ['bob', 'node:update', { id: 'n2', status: 3 }],
  ],
  'a user who saw only the effects of a private link undid its batch (HIS3, LNK9)': [
    ...two,
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 1 }],
    ['ada', 'link:add', { source: 'n1', target: 'n2', private: true }],
    ['bob', 'batch:undo', { batchId: 'b4' }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
  ],
  'a repeated answer revealed the deletion of a node that its caller had lost (GEN8, TRS5)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }, 'key-1'],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['ada', 'node:trash', { id: 'n3' }],
    ['ada', 'node:delete', { id: 'n3' }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }, 'key-1'],
  ],
  'no fault: all states of a link (LNK10)': [
    ...two,
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'link:restore', { id: 'l1' }],
    ['ada', 'link:swap', { id: 'l1' }],
    ['ada', 'link:update', { id: 'l1', type: 1 }],
    ['ada', 'link:update', { id: 'l1', type: 0 }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'link:delete', { id: 'l1' }],
    ['ada', 'link:restore', { id: 'l1' }],
  ],
  'no fault: of two links that would create a cycle, the later one stays in the trash (TRS3, LNK4)': [
    ...two,
    ['ada', 'node:add', { title: 'title-3' }],
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'link:add', { source: 'n2', target: 'n3' }],
    ['ada', 'node:trash', { id: 'n2' }],
    ['ada', 'link:add', { source: 'n3', target: 'n1' }],
    ['ada', 'node:restore', { id: 'n2' }],
    ['ada', 'link:trash', { id: 'l2' }],
  ],
};
