// What the model once found in the service: short scripts that are judged like random commands, step by step. Names in a payload stand for
// ids: `n1` for the first node that was made, `l1` for the first link, `b1` for the first batch, `@bob` for an e-mail.

/** Who, what, and with which payload. */
export type Line = readonly [by: string, event: string, payload: Readonly<Record<string, unknown>>];

const two = [
  ['ada', 'node:add', { title: 'title-1' }],
  ['ada', 'node:add', { title: 'title-2' }],
] as const satisfies readonly Line[];

/** By what was wrong, with the rule. */
export const KEPT: Readonly<Record<string, readonly Line[]>> = {
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
};
