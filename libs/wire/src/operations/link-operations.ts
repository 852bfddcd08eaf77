// The operations on links.
import { z } from 'zod';
import { LinkType } from '../codes.ts';
import { refuse } from '../errors.ts';
import { linkType } from '../fields.ts';
import { anyId } from '../ids.ts';
import { changed } from './answers.ts';
import { EXAMPLE } from './examples.ts';
import { COMMAND, ON_ENTITY, type Operation } from './operation.ts';
import { named, noFields } from './payloads.ts';
import { READERS_PUSHES as pushes } from './pushes.ts';

const { link: id, node, other } = EXAMPLE;
const command = { ...COMMAND, answer: changed } as const;
/** Refusals of a command that makes a link active or blocking. */
export const ACTIVE = [
  'conflict.in_trash',
  'conflict.cycle',
  'conflict.duplicate_link',
  'conflict.duplicate_reversed_link',
  'conflict.too_many_links',
  'conflict.too_many_feeds',
] as const;
const type = 'Whether it blocks: 0 primary, 1 secondary.';
const hidden = 'Whether only its owner sees it.';

const addedLink = z.strictObject({
  source: anyId.describe('The source of the link: the child.'),
  target: anyId.describe('The target of the link: the parent.'),
  type: linkType.default(LinkType.PRIMARY).describe(type),
  private: z.boolean().default(false).describe(hidden),
});
const updatedLink = z.strictObject({
  ...named.shape,
  type: linkType.optional().describe(type),
  private: z.boolean().optional().describe(hidden),
});

export const linkOperations = {
  'link:add': {
    ...command,
    name: 'link:add',
    scope: 'link',
    transports: { rest: { method: 'POST', path: '/api/link' }, socket: {} },
    summary: 'Links two nodes, or restores a link between them from the trash.',
    description:
      'A primary link blocks its target until its source is completed. It becomes secondary if the caller cannot edit the target, and private if the caller is only a viewer of an end, unless the caller owns the target.',
    resource: 'link',
    payload: addedLink,
    check: ({ source, target }: z.infer<typeof addedLink>) =>
      source === target
        ? refuse('bad_request.self_link', "A node can't be linked to itself.", { path: 'target' })
        : null,
    errors: ['not_found', 'forbidden', 'bad_request.self_link', ...ACTIVE],
    pushes,
    level: { least: 'viewer', say: 'Viewer on both nodes.' },
    rules: ['LNK2', 'LNK3', 'LNK4', 'LNK5', 'LNK6', 'ACL3', 'BLK5', 'BLK9'],
    example: { source: other, target: node, type: 0 },
  },
  'link:update': {
    ...command,
    name: 'link:update',
    scope: 'link',
    transports: { rest: { method: 'PUT', path: '/api/link' }, socket: {} },
    summary: "Changes a link's type or privacy.",
    description: 'One of `type` and `private` is required.',
    resource: 'link',
    payload: updatedLink,
    check: ({ type, private: hidden }: z.infer<typeof updatedLink>) => noFields({ type, hidden }),
    errors: [...ON_ENTITY, ...ACTIVE, 'bad_request.no_fields'],
    pushes,
    level: {
      least: 'editor',
      say: 'For the type: its owner who sees both ends, or an editor of its target who sees its source. For the privacy: its owner.',
    },
    rules: ['LNK3', 'LNK4', 'LNK5', 'LNK7', 'LNK10', 'BLK9', 'ACL3'],
    example: { id, type: 1 },
  },
  'link:swap': {
    ...command,
    name: 'link:swap',
    scope: 'link',
    transports: { rest: { method: 'POST', path: '/api/link/swap' }, socket: {} },
    summary: 'Reverses a link: its source becomes its target.',
    description: 'It becomes secondary if the caller cannot edit the new target.',
    resource: 'link',
    payload: named,
    errors: [...ON_ENTITY, ...ACTIVE],
    pushes,
    level: {
      least: 'editor',
      say: 'Its owner who sees both ends, or an editor of its target who sees its source.',
    },
    rules: ['LNK4', 'LNK5', 'LNK7', 'LNK8', 'BLK6', 'ACL3'],
    example: { id },
  },
  'link:trash': {
    ...command,
    name: 'link:trash',
    scope: 'trash',
    transports: { rest: { method: 'POST', path: '/api/link/trash' }, socket: {} },
    summary: 'Moves a link to the trash.',
    description: 'The target may be unblocked.',
    resource: 'link',
    payload: named,
    errors: [...ON_ENTITY, 'conflict.already_trashed', 'conflict.too_many_feeds'],
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
    name: 'link:restore',
    scope: 'trash',
    transports: { rest: { method: 'POST', path: '/api/link/restore' }, socket: {} },
    summary: 'Restores a link from the trash.',
    description: 'Both ends must be active.',
    resource: 'link',
    payload: named,
    errors: [...ON_ENTITY, ...ACTIVE, 'not_trashed_link'],
    pushes,
    level: {
      least: 'editor',
      say: 'Its owner who sees both ends, or an editor of its target who sees its source.',
    },
    rules: ['LNK3', 'LNK4', 'LNK5', 'LNK7', 'LNK10', 'ACL3'],
    example: { id },
  },
  'link:delete': {
    ...command,
    name: 'link:delete',
    scope: 'delete',
    transports: { rest: { method: 'DELETE', path: '/api/link' }, socket: {} },
    summary: 'Deletes a trashed link permanently.',
    description: 'It cannot be restored.',
    resource: 'link',
    payload: named,
    errors: [...ON_ENTITY, 'not_trashed_link'],
    pushes,
    level: { least: 'admin', say: 'Its owner, or an admin of its target.' },
    rules: ['LNK10'],
    example: { id },
  },
} as const satisfies Record<string, Operation>;
