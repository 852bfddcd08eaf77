// The calls on links, and those that take back and make again.
import { z } from 'zod';
import { LinkType } from '../codes.ts';
import { linkType } from '../fields.ts';
import { anyId } from '../ids.ts';
import { changed, redone, undone } from './answers.ts';
import type { Call, ErrorName } from './call.ts';
import { EXAMPLE } from './examples.ts';
import { named } from './payloads.ts';

const { link: id, node, other, batch } = EXAMPLE;
const command = { kind: 'command', answer: changed } as const;
const ON_LINK = ['not_found', 'forbidden', 'version_conflict'] as const;
/** Refusals of a link that would be active, or blocking, from now on. */
const ACTIVE = [
  'conflict.in_trash',
  'conflict.cycle',
  'conflict.duplicate_link',
  'conflict.duplicate_reversed_link',
  'conflict.too_many_links',
  'conflict.too_many_feeds',
] as const;
const type = 'Whether it blocks: 0 primary, 1 secondary.';
const hidden = 'Whether only its owner sees it.';
const pushes = ['graph:diff', 'access:changed', 'feeds:heads'] as const;

/** Whatever an undo meets is what its own commands would meet. */
const REVERTING: readonly ErrorName[] = [
  ...ON_LINK,
  ...ACTIVE,
  'conflict.already_trashed',
  'conflict.already_public',
  'conflict.not_public',
  'conflict.node_blocked',
  'conflict.target_in_trash',
  'conflict.irreversible',
  'conflict.expired',
  'conflict.too_many_grants',
];

export const linkCalls = {
  'link:add': {
    ...command,
    event: 'link:add',
    rest: { method: 'POST', path: '/api/link' },
    summary: 'Links two nodes; a link between them that is in the trash comes back instead.',
    description:
      'A primary link blocks its target until its source is completed. It becomes secondary where the caller cannot edit the target, and private where they only see what they link.',
    resource: 'link',
    payload: z.strictObject({
      source: anyId.describe('The node that it leads from.'),
      target: anyId.describe('The node that it leads to.'),
      type: linkType.default(LinkType.PRIMARY).describe(type),
      private: z.boolean().default(false).describe(hidden),
    }),
    errors: ['not_found', 'forbidden', 'bad_request.self_link', ...ACTIVE],
    pushes,
    level: { least: 'viewer', say: 'Viewer on both nodes.' },
    rules: ['LNK2', 'LNK3', 'LNK4', 'LNK5', 'LNK6', 'ACL3', 'BLK5', 'BLK9'],
    example: { source: other, target: node, type: 0 },
  },
  'link:update': {
    ...command,
    event: 'link:update',
    rest: { method: 'PUT', path: '/api/link' },
    summary: "Changes a link's type or privacy.",
    description: 'One of `type` and `private` must be given.',
    resource: 'link',
    payload: z.strictObject({
      ...named.shape,
      type: linkType.optional().describe(type),
      private: z.boolean().optional().describe(hidden),
    }),
    errors: [...ON_LINK, ...ACTIVE, 'bad_request.no_fields'],
    pushes,
    level: {
      least: 'editor',
      say: 'For the type its owner while they see both ends, or an editor of its target who sees its source; for the privacy its owner.',
    },
    rules: ['LNK3', 'LNK4', 'LNK5', 'LNK7', 'LNK10', 'BLK9', 'ACL3'],
    example: { id, type: 1 },
  },
  'link:swap': {
    ...command,
    event: 'link:swap',
    rest: { method: 'POST', path: '/api/link/swap' },
    summary: 'Reverses a link: its source becomes its target.',
    description: 'It becomes secondary where the caller cannot edit the new target.',
    resource: 'link',
    payload: named,
    errors: [...ON_LINK, ...ACTIVE],
    pushes,
    level: {
      least: 'editor',
      say: 'Its owner while they see both ends, or an editor of its target who sees its source.',
    },
    rules: ['LNK4', 'LNK5', 'LNK7', 'LNK8', 'BLK6', 'ACL3'],
    example: { id },
  },
  'link:trash': {
    ...command,
    event: 'link:trash',
    rest: { method: 'POST', path: '/api/link/trash' },
    summary: 'Moves a link to the trash.',
    description: 'What it blocked may be unblocked.',
    resource: 'link',
    payload: named,
    errors: [...ON_LINK, 'conflict.already_trashed', 'conflict.too_many_feeds'],
    pushes,
    level: {
      least: 'editor',
      say: 'Its owner, an editor of its target who sees its source, or an admin of its source.',
    },
    rules: ['LNK7', 'TRS3', 'TRS4', 'BLK6'],
    example: { id },
  },
  'link:restore': {
    ...command,
    event: 'link:restore',
    rest: { method: 'POST', path: '/api/link/restore' },
    summary: 'Brings a link back from the trash.',
    description: 'Both of its ends must be active.',
    resource: 'link',
    payload: named,
    errors: [...ON_LINK, ...ACTIVE, 'not_trashed_link'],
    pushes,
    level: {
      least: 'editor',
      say: 'Its owner while they see both ends, or an editor of its target who sees its source.',
    },
    rules: ['LNK3', 'LNK4', 'LNK5', 'LNK7', 'LNK10', 'ACL3'],
    example: { id },
  },
  'link:delete': {
    ...command,
    event: 'link:delete',
    rest: { method: 'DELETE', path: '/api/link' },
    summary: 'Deletes a trashed link for good.',
    description: 'Nothing brings it back.',
    resource: 'link',
    payload: named,
    errors: [...ON_LINK, 'not_trashed_link'],
    pushes,
    level: { least: 'admin', say: 'Its owner, or an admin of its target.' },
    rules: ['LNK10'],
    example: { id },
  },
  'batch:undo': {
    kind: 'command',
    event: 'batch:undo',
    rest: { method: 'POST', path: '/api/history/undo' },
    summary: 'Takes back what a batch did.',
    description: 'All of it or nothing. It makes a batch of its own, which can be undone too.',
    resource: 'batch',
    payload: z.strictObject({ batchId: anyId.describe('The batch of history.') }),
    answer: undone,
    errors: [...REVERTING, 'conflict.already_undone'],
    pushes: [...pushes, 'unpublished'],
    level: { least: null, say: 'The level that each of its changes would take if it were done by hand.' },
    rules: ['HIS2', 'HIS3', 'HIS4', 'HIS5', 'HIS6'],
    example: { batchId: batch },
  },
  'batch:redo': {
    kind: 'command',
    event: 'batch:redo',
    rest: { method: 'POST', path: '/api/history/redo' },
    summary: 'Makes again what an undone batch did.',
    description: 'All of it or nothing. It makes a batch of its own, which can be undone too.',
    resource: 'batch',
    payload: z.strictObject({ batchId: anyId.describe('The batch of history.') }),
    answer: redone,
    errors: [...REVERTING, 'conflict.not_undone'],
    pushes: [...pushes, 'unpublished'],
    level: { least: null, say: 'The level that each of its changes would take if it were done by hand.' },
    rules: ['HIS2', 'HIS3', 'HIS4', 'HIS5', 'HIS6'],
    example: { batchId: batch },
  },
} as const satisfies Record<string, Call>;
