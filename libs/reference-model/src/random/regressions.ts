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
  'undo of a trashing restored what another batch had trashed again (HIS2)': [
    ...two,
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'node:restore', { id: 'n1' }],
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
    ['ada', 'batch:undo', { batchId: 'b5' }],
  ],
  'undo of an undo of a status on a Blocked node was refused (HIS2, BLK3)': [
    ...two,
    ['ada', 'node:update', { id: 'n1', status: 3 }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['ada', 'batch:redo', { batchId: 'b3' }],
    ['ada', 'batch:undo', { batchId: 'b6' }],
  ],
  'undo brought back a status that was changed behind Blocked (BLK3)': [
    ...two,
    ['ada', 'node:update', { id: 'n1', status: 1 }],
    ['ada', 'node:update', { id: 'n1', status: 3 }],
    ['ada', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
    ['ada', 'batch:undo', { batchId: 'b5' }],
  ],
  "undo of a child's making conflicted with its link (HIS2)": [
    ...two,
    ['ada', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'link:swap', { id: 'l1' }],
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
  ],
  'an undo blocked a node and unblocked it again (BLK5)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['ada', 'node:add', { target: 'n1', title: 'title-2', status: 3 }],
    ['ada', 'link:swap', { id: 'l1' }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
  ],
  'undo brought a type back without its mark of having blocked (BLK9)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['ada', 'node:add', { target: 'n1', title: 'title-2' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'link:add', { source: 'n2', target: 'n1', type: 1 }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
  ],
  'a conflict was blamed on a grant (HIS2)': [
    ...two,
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'node:restore', { id: 'n1' }],
    ['ada', 'node:access', { id: 'n1', email: '@bob' }],
    ['ada', 'batch:undo', { batchId: 'b3' }],
  ],
  'history named a batch out of sight as undone (HIS7)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['ada', 'node:add', { title: 'title-2' }],
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'batch:undo', { batchId: 'b1' }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 1, branch: false }],
  ],
  'the trash showed what hung under a trashed root (LNK7)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1 }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['bob', 'node:trash', { id: 'n1' }],
  ],
  'who would lose it again was let restore it (TRS2, TRS3)': [
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
  'a link that was hidden did not go for readers of its ends by two feeds (EVT2)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', branch: false }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', branch: false }],
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'link:update', { id: 'l1', private: true }],
  ],
  'a deleted link was lost from the history of its maker (TRS5)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1 }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 1 }],
    ['bob', 'link:add', { source: 'n1', target: 'n2' }],
    ['bob', 'link:trash', { id: 'l1' }],
    ['bob', 'link:delete', { id: 'l1' }],
    ['bob', 'batch:undo', { batchId: 'b7' }],
  ],
  'an editor who brought their link back hid it (LNK3, LNK7)': [
    ...two,
    ['bob', 'node:add', { title: 'title-3' }],
    ['ada', 'node:access', { id: 'n1', email: '@cy', level: 2 }],
    ['bob', 'node:access', { id: 'n3', email: '@cy', level: 1 }],
    ['cy', 'link:add', { source: 'n3', target: 'n1' }],
    ['bob', 'node:access:delete', { id: 'n3', email: '@cy' }],
    ['cy', 'link:trash', { id: 'l1' }],
    ['cy', 'link:restore', { id: 'l1' }],
  ],
  'a stale version was told before that the node is in the trash (GEN3)': [
    ...two,
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'node:update', { id: 'n1', title: 'title-3', version: 1 }],
    ['ada', 'node:trash', { id: 'n1', version: 1 }],
    ['ada', 'node:restore', { id: 'n2', version: 7 }],
  ],
  'a stale version was told before that the node is Blocked (GEN3)': [
    ...two,
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'node:update', { id: 'n2', status: 3, version: 7 }],
    ['ada', 'node:update', { id: 'n2', title: 'title-3', version: 7 }],
  ],
  'a stale version was told before that an end of the link is in the trash (GEN3)': [
    ...two,
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'node:trash', { id: 'n1' }],
    ['ada', 'link:restore', { id: 'l1', version: 7 }],
  ],
  'a copied grant hid what its original hid (NODE3, ACL6)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:showing', { id: 'n1', showing: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }],
  ],
  'a redo looked for what there was before the undo (HIS5, LNK3)': [
    ...two,
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'node:update', { id: 'n2', independent: true }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
    ['ada', 'batch:redo', { batchId: 'b4' }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
  ],
  'a link trashed by an undo kept its right to convey in the other direction (ACL3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['ada', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'batch:undo', { batchId: 'b6' }],
    ['bob', 'link:restore', { id: 'l1' }],
    ['ada', 'link:restore', { id: 'l1' }],
  ],
  'who lost sight of a source by trashing its link could not undo it (LNK7, HIS3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['bob', 'link:trash', { id: 'l1' }],
    ['bob', 'batch:undo', { batchId: 'b5' }],
  ],
  'history left out what would come back to its reader (HIS7, TRS2)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['ada', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'node:update', { id: 'n3', title: 'title-4' }],
    ['ada', 'node:trash', { id: 'n3' }],
  ],
  'history left out what is seen by a hidden grant (ACL6)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob' }],
    ['bob', 'node:showing', { id: 'n1', showing: false }],
    ['ada', 'node:update', { id: 'n1', title: 'title-3' }],
  ],
  'a branch below a node shared alone was left out for who sees it by other ways (PUB3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1, branch: false }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 1, branch: false }],
    ['ada', 'link:add', { source: 'n2', target: 'n1' }],
    ['ada', 'node:publish', { id: 'n1', branch: true }],
  ],
  'a former grantee was told that a batch exists (HIS3, HIS7)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1 }],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['bob', 'batch:undo', { batchId: 'b3' }],
    ['bob', 'batch:undo', { batchId: 'b4' }],
  ],
  'undo of a publication put back what it had not changed (HIS2)': [
    ...two,
    ['ada', 'node:publish', { id: 'n1', branch: true }],
    ['ada', 'node:publish:update', { id: 'n1', branch: false }],
    ['ada', 'node:publish:update', { id: 'n1', branch: true }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
    ['ada', 'node:unpublish', { id: 'n1' }],
    ['ada', 'batch:undo', { batchId: 'b5' }],
  ],
  'a conflict named what its caller does not see (HIS2, HIS7)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['ada', 'node:add', { target: 'n1', title: 'title-2' }],
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1 }],
    ['bob', 'node:trash', { id: 'n2' }],
    ['ada', 'node:restore', { id: 'n2' }],
    ['ada', 'link:trash', { id: 'l1' }],
    ['bob', 'batch:undo', { batchId: 'b4' }],
  ],
  'an answer given again left out deleted links of its caller, or named roots of what is trashed (GEN8, TRS5)': [
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
  'an answer given again named a node that its caller lost, by their own former grant (GEN8, ACL9)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }, 'key-1'],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }, 'key-1'],
  ],
  'a grant that undo put back still ended with the one it was copied from (NODE3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'node:access:delete', { id: 'n3', email: '@bob' }],
    ['ada', 'batch:undo', { batchId: 'b5' }],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
  ],
  'a copy stayed away where its node was in the trash (NODE3, HIS2)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }],
    ['ada', 'node:trash', { id: 'n3' }],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['ada', 'batch:undo', { batchId: 'b6' }],
    ['ada', 'node:restore', { id: 'n3' }],
  ],
  'a copy came back at another level than its original has (NODE3, HIS5)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }],
    ['bob', 'node:add', { target: 'n3', title: 'title-4' }],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['ada', 'node:access', { id: 'n3', email: '@bob', level: 3, branch: false }],
    ['ada', 'batch:undo', { batchId: 'b6' }],
  ],
  'redo of a narrowed grant was judged by its narrow side alone (ACL4, HIS3)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 1, branch: true }],
    ['ada', 'node:access:update', { id: 'n1', email: '@bob', branch: false }],
    ['bob', 'batch:undo', { batchId: 'b4' }],
    ['bob', 'batch:redo', { batchId: 'b4' }],
  ],
  'undo of a swap left the link private that the swap had hidden (HIS2, LNK8)': [
    ['ada', 'node:add', { title: 'title-1' }],
    ['bob', 'node:add', { title: 'title-2' }],
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['bob', 'link:add', { source: 'n2', target: 'n1' }],
    ['bob', 'link:swap', { id: 'l1' }],
    ['bob', 'batch:undo', { batchId: 'b5' }],
  ],
  'a node that blocks by two links was told once by the model (BLK4, LNK6)': [
    ...two,
    ['ada', 'link:add', { source: 'n1', target: 'n2', private: true }],
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2 }],
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 2 }],
    ['bob', 'link:add', { source: 'n1', target: 'n2' }],
    ['ada', 'node:update', { id: 'n2', status: 3 }],
    ['bob', 'node:update', { id: 'n2', status: 3 }],
  ],
  'who saw what followed from a private link of another undid it (HIS3, LNK9)': [
    ...two,
    ['ada', 'node:access', { id: 'n2', email: '@bob', level: 1 }],
    ['ada', 'link:add', { source: 'n1', target: 'n2', private: true }],
    ['bob', 'batch:undo', { batchId: 'b4' }],
    ['ada', 'batch:undo', { batchId: 'b4' }],
  ],
  'an answer given again told of the end of what its caller had lost (GEN8, TRS5)': [
    ...two,
    ['ada', 'node:access', { id: 'n1', email: '@bob', level: 2, branch: false }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }, 'key-1'],
    ['ada', 'node:access:delete', { id: 'n1', email: '@bob' }],
    ['ada', 'node:trash', { id: 'n3' }],
    ['ada', 'node:delete', { id: 'n3' }],
    ['bob', 'node:add', { target: 'n1', title: 'title-3' }, 'key-1'],
  ],
  'nothing, but this is what a link may go through (LNK10)': [
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
  'nothing, but of two links that would close a cycle the later stays in the trash (TRS3, LNK4)': [
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
