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
/** Refusals of a link that would be active, or blocking, from now on. */
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
  source: anyId.describe('The node that it leads from.'),
  target: anyId.describe('The node that it leads to.'),
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
    transports: { rest: { method: 'POST', path: '/api/link' }, socket: {} },
    summary: 'Links two nodes; a link between them that is in the trash comes back instead.',
    description:
      'A primary link blocks its target until its source is completed. It becomes secondary where the caller cannot edit the target, and private where they only see what they link.',
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
    transports: { rest: { method: 'PUT', path: '/api/link' }, socket: {} },
    summary: "Changes a link's type or privacy.",
    description: 'One of `type` and `private` must be given.',
    resource: 'link',
    payload: updatedLink,
    check: ({ type, private: hidden }: z.infer<typeof updatedLink>) => noFields({ type, hidden }),
    errors: [...ON_ENTITY, ...ACTIVE, 'bad_request.no_fields'],
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
    name: 'link:swap',
    transports: { rest: { method: 'POST', path: '/api/link/swap' }, socket: {} },
    summary: 'Reverses a link: its source becomes its target.',
    description: 'It becomes secondary where the caller cannot edit the new target.',
    resource: 'link',
    payload: named,
    errors: [...ON_ENTITY, ...ACTIVE],
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
    name: 'link:trash',
    transports: { rest: { method: 'POST', path: '/api/link/trash' }, socket: {} },
    summary: 'Moves a link to the trash.',
    description: 'What it blocked may be unblocked.',
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
    transports: { rest: { method: 'POST', path: '/api/link/restore' }, socket: {} },
    summary: 'Brings a link back from the trash.',
    description: 'Both of its ends must be active.',
    resource: 'link',
    payload: named,
    errors: [...ON_ENTITY, ...ACTIVE, 'not_trashed_link'],
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
    name: 'link:delete',
    transports: { rest: { method: 'DELETE', path: '/api/link' }, socket: {} },
    summary: 'Deletes a trashed link for good.',
    description: 'Nothing brings it back.',
    resource: 'link',
    payload: named,
    errors: [...ON_ENTITY, 'not_trashed_link'],
    pushes,
    level: { least: 'admin', say: 'Its owner, or an admin of its target.' },
    rules: ['LNK10'],
    example: { id },
  },
} as const satisfies Record<string, Operation>;
