// The calls on nodes.
import { z } from 'zod';
import { writableNodeFields } from '../fields.ts';
import { anyId } from '../ids.ts';
import { changed } from './answers.ts';
import type { Call } from './call.ts';
import { EXAMPLE } from './examples.ts';
import { named } from './payloads.ts';

const { node: id } = EXAMPLE;
const command = { kind: 'command', answer: changed } as const;
const ON_NODE = ['not_found', 'forbidden', 'version_conflict'] as const;
const EDITOR = { least: 'editor', say: 'Editor on the node.' } as const;
/** A change of a grant or a publication moves readers: their sockets are told. */
const MOVES_READERS = ['graph:diff', 'access:changed', 'feeds:heads'] as const;

export const nodeCalls = {
  'node:add': {
    ...command,
    event: 'node:add',
    rest: { method: 'POST', path: '/api/node' },
    summary: 'Creates a node, alone or as a child of another node.',
    description:
      'With `target` the new node is a child: it has the owner and the readers of its parent, and a link leads from it to the parent, which it blocks. Without, the caller owns it alone. It starts with empty texts and lists, zeros, `false`, and `null` for `dueDate`.',
    resource: 'node',
    payload: z.strictObject({
      target: anyId.optional().describe('The parent of the new node.'),
      ...writableNodeFields,
    }),
    errors: [
      'not_found',
      'forbidden',
      'bad_request.status_blocked',
      'conflict.target_in_trash',
      'conflict.too_many_links',
      'conflict.too_many_grants',
      'conflict.too_many_feeds',
    ],
    pushes: ['graph:diff', 'access:changed', 'feeds:heads'],
    level: { least: 'editor', say: 'Editor on the parent, where one is named.' },
    rules: ['NODE1', 'NODE2', 'NODE3', 'NODE4', 'NODE5', 'BLK2', 'BLK5', 'LNK2', 'ACL10'],
    example: { title: 'Set up the domain', target: id, tags: ['infrastructure'], priority: 2 },
  },
  'node:update': {
    ...command,
    event: 'node:update',
    rest: { method: 'PUT', path: '/api/node' },
    summary: 'Changes fields of a node.',
    description:
      'Only the fields that are given change; at least one must be. A status is an entry of its own in the diff, as are the statuses of other nodes that follow from it.',
    resource: 'node',
    payload: z.strictObject({ ...named.shape, ...writableNodeFields }),
    errors: [
      ...ON_NODE,
      'bad_request.no_fields',
      'bad_request.status_blocked',
      'conflict.in_trash',
      'conflict.node_blocked',
    ],
    pushes: ['graph:diff'],
    level: EDITOR,
    rules: ['NODE2', 'BLK2', 'BLK3', 'BLK4', 'BLK5', 'BLK6', 'BLK7', 'BLK8', 'GEN9', 'GEN10'],
    example: { id, title: 'Go live', status: 3 },
  },
  'node:trash': {
    ...command,
    event: 'node:trash',
    rest: { method: 'POST', path: '/api/node/trash' },
    summary: 'Moves a node to the trash, with all links on it.',
    description: 'What is below the node stays. What it blocked may be unblocked.',
    resource: 'node',
    payload: named,
    errors: [...ON_NODE, 'conflict.already_trashed', 'conflict.too_many_feeds'],
    pushes: [...MOVES_READERS, 'unpublished'],
    level: EDITOR,
    rules: ['TRS1', 'TRS4', 'BLK6', 'BLK10'],
    example: { id },
  },
  'node:restore': {
    ...command,
    event: 'node:restore',
    rest: { method: 'POST', path: '/api/node/restore' },
    summary: 'Brings a node back from the trash, with the links that went with it.',
    description: 'Links that cannot come back stay in the trash, and are listed in `diff.skipped`.',
    resource: 'node',
    payload: named,
    errors: [...ON_NODE, 'not_trashed_node', 'conflict.too_many_links', 'conflict.too_many_feeds'],
    pushes: MOVES_READERS,
    level: EDITOR,
    rules: ['TRS2', 'TRS3', 'BLK10', 'LNK4', 'LNK5'],
    example: { id },
  },
  'node:delete': {
    ...command,
    event: 'node:delete',
    rest: { method: 'DELETE', path: '/api/node' },
    summary: 'Deletes a trashed node for good, with its trashed links.',
    description: 'Nothing brings it back.',
    resource: 'node',
    payload: named,
    errors: [...ON_NODE, 'not_trashed_node'],
    pushes: MOVES_READERS,
    level: { least: 'owner', say: 'Owner of the node.' },
    rules: ['TRS5'],
    example: { id },
  },
} as const satisfies Record<string, Call>;
