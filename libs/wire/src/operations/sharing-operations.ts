// The calls on grants and publications.
import { z } from 'zod';
import { text, timestamp } from '../fields.ts';
import { anyId } from '../ids.ts';
import { changed, grants } from './answers.ts';
import type { Call } from './call.ts';
import { EXAMPLE } from './examples.ts';
import { grantFields, named, namedGrant } from './payloads.ts';

const { node: id, guest: email } = EXAMPLE;
const command = { kind: 'command', answer: changed } as const;
const ON_NODE = ['not_found', 'forbidden', 'version_conflict'] as const;
const ADMIN = { least: 'admin', say: 'Admin on the node; for a branch, admin of a branch that holds it.' } as const;
/** A change of a grant or a publication moves readers: their sockets are told. */
const MOVES_READERS = ['graph:diff', 'access:changed', 'feeds:heads'] as const;

export const sharingCalls = {
  'node:access': {
    ...command,
    event: 'node:access',
    rest: { method: 'POST', path: '/api/node/access' },
    summary: 'Grants an e-mail a level on a node or on its whole branch.',
    description: 'It may replace a grant that is there. An e-mail that nobody has yet waits for its user.',
    resource: 'grant',
    payload: namedGrant.extend({
      level: grantFields.level.default(3),
      due: grantFields.due,
      branch: grantFields.branch.default(true),
    }),
    errors: [
      ...ON_NODE,
      'invalid_due',
      'bad_request.owner_grant',
      'conflict.in_trash',
      'conflict.too_many_grants',
      'conflict.too_many_feeds',
    ],
    pushes: MOVES_READERS,
    level: ADMIN,
    rules: ['ACL4', 'ACL5', 'ACL10', 'NODE3', 'GEN9', 'GEN10'],
    example: { id, email, level: 2, branch: true },
  },
  'node:access:update': {
    ...command,
    event: 'node:access:update',
    rest: { method: 'PUT', path: '/api/node/access' },
    summary: 'Changes an existing grant.',
    description: 'What is left out keeps its value; one of `level`, `due` and `branch` must be given.',
    resource: 'grant',
    payload: namedGrant.extend({
      level: grantFields.level.optional(),
      due: grantFields.due,
      branch: grantFields.branch.optional(),
    }),
    errors: [...ON_NODE, 'invalid_due', 'bad_request.no_fields', 'conflict.in_trash', 'conflict.too_many_feeds'],
    pushes: MOVES_READERS,
    level: ADMIN,
    rules: ['ACL4', 'ACL5', 'NODE3', 'GEN9', 'GEN10'],
    example: { id, email, level: 3 },
  },
  'node:access:delete': {
    ...command,
    event: 'node:access:delete',
    rest: { method: 'DELETE', path: '/api/node/access' },
    summary: "Takes a grant away; one's own at any level.",
    description:
      'It counts from that moment on: the sockets of the grantee have left the feed before the answer is sent.',
    resource: 'grant',
    payload: namedGrant,
    errors: [...ON_NODE],
    pushes: MOVES_READERS,
    level: {
      least: 'admin',
      say: 'Admin on the node, or for a branch grant of a branch that holds it; for one’s own grant nothing.',
    },
    rules: ['ACL4', 'ACL7', 'ACL10', 'NODE3', 'GEN10'],
    example: { id, email },
  },
  'node:access:list': {
    kind: 'read',
    event: 'node:access:list',
    rest: { method: 'GET', path: '/api/node/access' },
    summary: 'Lists the grants on a node.',
    description: 'By e-mail, at most 1,000 a page. Admins see all of them, others their own alone.',
    resource: 'node',
    payload: z.strictObject({
      id: anyId.describe("The node's id."),
      after: text(320).optional().describe('The `next` of the page before: an e-mail.'),
    }),
    answer: grants,
    errors: ['not_found', 'forbidden'],
    pushes: [],
    level: { least: 'viewer', say: 'Viewer on the node.' },
    rules: ['ACL9', 'GEN7', 'GEN11'],
    example: { id },
  },
  'node:showing': {
    ...command,
    event: 'node:showing',
    rest: { method: 'PUT', path: '/api/node/showing' },
    summary: "Shows or hides a grant's nodes in the grantee's own graph and pushes.",
    description: 'A hidden grant goes on giving what it gave: its nodes are only left out of the graph and of pushes.',
    resource: 'grant',
    payload: z.strictObject({
      id: anyId.describe("The node's id."),
      showing: z.boolean().describe('Whether its nodes show in the graph and in pushes of the caller.'),
    }),
    errors: ['not_found', 'forbidden'],
    pushes: MOVES_READERS,
    level: { least: 'viewer', say: 'A grant of their own on the node.' },
    rules: ['ACL6'],
    example: { id, showing: false },
  },
  'node:publish': {
    ...command,
    event: 'node:publish',
    rest: { method: 'POST', path: '/api/node/public' },
    summary: 'Publishes a node or its branch for anonymous reading.',
    description: 'The diff has the new `publicToken`, by which anybody reads it without an account.',
    resource: 'node',
    payload: z.strictObject({
      ...named.shape,
      due: timestamp.nullable().optional().describe('When it ends; null for never.'),
      branch: z.boolean().default(true).describe('Whether it takes in all that is below the node.'),
    }),
    errors: [...ON_NODE, 'invalid_due', 'conflict.in_trash', 'conflict.already_public', 'conflict.too_many_feeds'],
    pushes: MOVES_READERS,
    level: ADMIN,
    rules: ['PUB1', 'PUB2', 'ACL4', 'ACL5'],
    example: { id, branch: true },
  },
  'node:publish:update': {
    ...command,
    event: 'node:publish:update',
    rest: { method: 'PUT', path: '/api/node/public' },
    summary: 'Changes a publication.',
    description: 'The public token stays. One of `due` and `branch` must be given.',
    resource: 'node',
    payload: z.strictObject({
      ...named.shape,
      due: timestamp.nullable().optional().describe('When it ends; null for never.'),
      branch: z.boolean().optional().describe('Whether it takes in all that is below the node.'),
    }),
    errors: [
      ...ON_NODE,
      'invalid_due',
      'bad_request.no_fields',
      'conflict.in_trash',
      'conflict.not_public',
      'conflict.too_many_feeds',
    ],
    pushes: [...MOVES_READERS, 'unpublished'],
    level: ADMIN,
    rules: ['PUB1', 'PUB2', 'ACL4', 'ACL5', 'GEN9'],
    example: { id, due: '2031-01-01T00:00:00.000Z' },
  },
  'node:unpublish': {
    ...command,
    event: 'node:unpublish',
    rest: { method: 'DELETE', path: '/api/node/public' },
    summary: 'Ends a publication.',
    description: 'What its public token opened closes at once: sockets by it are told, and closed.',
    resource: 'node',
    payload: named,
    errors: [...ON_NODE, 'conflict.not_public'],
    pushes: [...MOVES_READERS, 'unpublished'],
    level: ADMIN,
    rules: ['PUB1', 'PUB5', 'ACL4', 'ACL7'],
    example: { id },
  },
} as const satisfies Record<string, Call>;
