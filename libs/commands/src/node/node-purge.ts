/**
 * node:purge: delete a node permanently that has been in the trash since before a time. Rules:
 * TRS5, GEN9.
 */
import { timestamp } from '@taskgraph/wire/fields';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineSystemCommand } from '../define-command.ts';
import { notFound } from '../rules/caller.ts';
import { deleteNode } from '../rules/trash.ts';

export const nodePurge = defineSystemCommand({
  name: 'node:purge',
  resource: 'node',
  payload: z.strictObject({ id: anyId, before: timestamp }),
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id], linksOn: [id], grantsOn: [id] }),
  decide(draft, { id, before }) {
    const node = draft.node(id);
    if (node === null) return notFound('node', { id });
    // It may have been restored or changed since the job found it.
    if (node.inTrash && node.lastEditedTime < before) deleteNode(draft, id);
    return null;
  },
});
