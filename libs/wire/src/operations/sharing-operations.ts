// The operations on grants and publications.
import { z } from 'zod';
import { dueTime, text } from '../fields.ts';
import { anyId } from '../ids.ts';
import { changed, grants } from './answers.ts';
import { EXAMPLE } from './examples.ts';
import { COMMAND, ON_ENTITY, type Operation, READ } from './operation.ts';
import { grantFields, named, namedGrant, noFields } from './payloads.ts';
import { READERS_PUSHES, TOKEN_PUSHES } from './pushes.ts';

const { node: id, guest: email } = EXAMPLE;
const command = { ...COMMAND, answer: changed } as const;
const ADMIN = { least: 'admin', say: 'Admin on the node; for a branch, admin of a branch that contains it.' } as const;

const updatedGrant = namedGrant.extend({
  level: grantFields.level.optional(),
  due: grantFields.due,
  branch: grantFields.branch.optional(),
});
const updatedPublication = z.strictObject({
  ...named.shape,
  due: dueTime.nullable().optional().describe('When it ends; null for never.'),
  branch: z.boolean().optional().describe('Whether it includes the branch below the node.'),
});

export const sharingOperations = {
  'node:access': {
    ...command,
    name: 'node:access',
    scope: 'share',
    transports: { rest: { method: 'POST', path: '/api/node/access' }, socket: {} },
    summary: 'Grants an e-mail a level on a node or on its branch.',
    description:
      'It may replace an existing grant. A grant for an e-mail without an account takes effect with the account.',
    resource: 'grant',
    payload: namedGrant.extend({
      level: grantFields.level.default(3),
      due: grantFields.due,
      branch: grantFields.branch.default(true),
    }),
    errors: [
      ...ON_ENTITY,
      'invalid_due',
      'bad_request.owner_grant',
      'conflict.in_trash',
      'conflict.too_many_grants',
      'conflict.too_many_feeds',
    ],
    pushes: READERS_PUSHES,
    level: ADMIN,
    rules: ['ACL4', 'ACL5', 'ACL10', 'NODE3', 'GEN9', 'GEN10'],
    example: { id, email, level: 2, branch: true },
  },
  'node:access:update': {
    ...command,
    name: 'node:access:update',
    scope: 'share',
    transports: { rest: { method: 'PUT', path: '/api/node/access' }, socket: {} },
    summary: 'Changes an existing grant.',
    description: 'Missing fields keep their values; one of `level`, `due` and `branch` is required.',
    resource: 'grant',
    payload: updatedGrant,
    check: ({ level, due, branch }: z.infer<typeof updatedGrant>) => noFields({ level, due, branch }),
    errors: [...ON_ENTITY, 'invalid_due', 'bad_request.no_fields', 'conflict.in_trash', 'conflict.too_many_feeds'],
    pushes: READERS_PUSHES,
    level: ADMIN,
    rules: ['ACL4', 'ACL5', 'NODE3', 'GEN9', 'GEN10'],
    example: { id, email, level: 3 },
  },
  'node:access:delete': {
    ...command,
    name: 'node:access:delete',
    scope: 'share',
    transports: { rest: { method: 'DELETE', path: '/api/node/access', describedBody: true }, socket: {} },
    summary: 'Revokes a grant. Callers may revoke their own grant at any level.',
    description: "It takes effect at once: the grantee's sockets have left the feed before the answer is sent.",
    resource: 'grant',
    payload: namedGrant,
    errors: [...ON_ENTITY],
    pushes: READERS_PUSHES,
    level: {
      least: 'admin',
      say: 'Admin on the node; for a branch grant, admin of a branch that contains it. For one’s own grant, none.',
    },
    rules: ['ACL4', 'ACL7', 'ACL10', 'NODE3', 'GEN10'],
    example: { id, email },
  },
  'node:access:list': {
    ...READ,
    name: 'node:access:list',
    transports: {
      rest: { method: 'GET', path: '/api/node/access', alsoPost: '/api/node/access/list' },
      socket: {},
    },
    summary: 'Lists the grants on a node.',
    description:
      'In order of e-mail, at most 1,000 in a page. Admins see all grants, others only their own. POST does the same as GET, and its body keeps the e-mail of `after` out of the URL.',
    payload: z.strictObject({
      id: anyId.describe("The node's id."),
      after: text(320).optional().describe('The `next` of the page before: an e-mail.'),
    }),
    answer: grants,
    errors: ['not_found', 'forbidden'],
    level: { least: 'viewer', say: 'Viewer on the node.' },
    rules: ['ACL9', 'GEN7', 'GEN11'],
    example: { id },
  },
  'node:showing': {
    ...command,
    name: 'node:showing',
    scope: 'share',
    transports: { rest: { method: 'PUT', path: '/api/node/showing' }, socket: {} },
    summary: "Shows or hides a grant's nodes in the grantee's own graph and pushes.",
    description: 'A hidden grant stays valid: its nodes are only left out of the graph and of pushes.',
    resource: 'grant',
    payload: z.strictObject({
      id: anyId.describe("The node's id."),
      showing: z.boolean().describe("Whether its nodes appear in the caller's graph and pushes."),
    }),
    errors: ['not_found', 'forbidden'],
    pushes: READERS_PUSHES,
    level: { least: 'viewer', say: 'An own grant on the node.' },
    rules: ['ACL6'],
    example: { id, showing: false },
  },
  'node:publish': {
    ...command,
    name: 'node:publish',
    scope: 'share',
    transports: { rest: { method: 'POST', path: '/api/node/public' }, socket: {} },
    summary: 'Publishes a node or its branch for anonymous reading.',
    description: 'The diff contains the new `publicToken`. Everyone who has it can read without an account.',
    resource: 'node',
    payload: z.strictObject({
      ...named.shape,
      due: dueTime.nullable().optional().describe('When it ends; null for never.'),
      branch: z.boolean().default(true).describe('Whether it includes the branch below the node.'),
    }),
    errors: [...ON_ENTITY, 'invalid_due', 'conflict.in_trash', 'conflict.already_public', 'conflict.too_many_feeds'],
    pushes: READERS_PUSHES,
    level: ADMIN,
    rules: ['PUB1', 'PUB2', 'ACL4', 'ACL5'],
    example: { id, branch: true },
  },
  'node:publish:update': {
    ...command,
    name: 'node:publish:update',
    scope: 'share',
    transports: { rest: { method: 'PUT', path: '/api/node/public' }, socket: {} },
    summary: 'Changes a publication.',
    description: 'The public token stays. One of `due` and `branch` is required.',
    resource: 'node',
    payload: updatedPublication,
    check: ({ due, branch }: z.infer<typeof updatedPublication>) => noFields({ due, branch }),
    errors: [
      ...ON_ENTITY,
      'invalid_due',
      'bad_request.no_fields',
      'conflict.in_trash',
      'conflict.not_public',
      'conflict.too_many_feeds',
    ],
    pushes: TOKEN_PUSHES,
    level: ADMIN,
    rules: ['PUB1', 'PUB2', 'ACL4', 'ACL5', 'GEN9'],
    example: { id, due: '2031-01-01T00:00:00.000Z' },
  },
  'node:unpublish': {
    ...command,
    name: 'node:unpublish',
    scope: 'share',
    transports: { rest: { method: 'DELETE', path: '/api/node/public' }, socket: {} },
    summary: 'Ends a publication.',
    description: 'Its public token ends at once: sockets that use it get a push and are closed.',
    resource: 'node',
    payload: named,
    errors: [...ON_ENTITY, 'conflict.not_public'],
    pushes: TOKEN_PUSHES,
    level: ADMIN,
    rules: ['PUB1', 'PUB5', 'ACL4', 'ACL7'],
    example: { id },
  },
} as const satisfies Record<string, Operation>;
