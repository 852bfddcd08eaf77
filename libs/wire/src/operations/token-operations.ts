// The operations on sessions, API tokens and users. Rules: AUTH1, AUTH2, AUTH4.
import { z } from 'zod';
import { refuseField } from '../errors.ts';
import { list, text, timestamp } from '../fields.ts';
import { anyId } from '../ids.ts';
import { SCOPE_MEANINGS, SCOPES } from '../scopes.ts';
import * as answers from './account-answers.ts';
import { own } from './account-operations.ts';
import { EXAMPLE } from './examples.ts';
import type { Operation } from './operation.ts';

const TOKEN_NAME_LENGTH = 100;
const scopes = list(z.enum(SCOPES), SCOPES.length)
  .refine((all) => all.length > 0, 'must name at least one scope')
  .refine((all) => new Set(all).size === all.length, 'must name each scope once')
  .meta({ minItems: 1, uniqueItems: true });
const meanings = Object.entries(SCOPE_MEANINGS)
  .map(([scope, meaning]) => `\`${scope}\`: ${meaning}`)
  .join('; ');
const nothing = z.strictObject({});
const named = z.strictObject({ id: anyId });

export const tokenOperations = {
  'session:list': {
    ...own,
    name: 'session:list',
    transports: { rest: { method: 'GET', path: '/api/session' } },
    summary: "Lists the caller's sessions, oldest first.",
    description: '`current` marks the session of this request.',
    payload: nothing,
    answer: answers.sessions,
    errors: [],
    rules: ['AUTH4'],
    example: {},
  },
  'session:end': {
    ...own,
    name: 'session:end',
    transports: { rest: { method: 'DELETE', path: '/api/session' } },
    changes: true,
    resource: 'token',
    summary: 'Ends a session; without `id`, all except the session of this request.',
    description: 'Their sockets are closed at once.',
    payload: z.strictObject({ id: anyId.optional() }),
    answer: answers.done,
    errors: ['not_found'],
    rules: ['AUTH4'],
    example: {},
  },
  'token:list': {
    ...own,
    name: 'token:list',
    transports: { rest: { method: 'GET', path: '/api/token' } },
    summary: "Lists the caller's API tokens.",
    description: 'Without their texts, which the service does not store.',
    payload: nothing,
    answer: answers.tokens,
    errors: [],
    rules: ['AUTH2'],
    example: {},
  },
  'token:create': {
    ...own,
    name: 'token:create',
    transports: { rest: { method: 'POST', path: '/api/token' } },
    changes: true,
    resource: 'token',
    summary: 'Creates an API token.',
    description: `Only this answer contains \`plaintext\`. A user has at most 100 tokens. Outside its scopes a call is \`forbidden.scope\`: ${meanings}.`,
    payload: z.strictObject({
      name: text(TOKEN_NAME_LENGTH).optional(),
      expires: timestamp.nullable().optional().describe('When it ends; null for never.'),
      readOnly: z.boolean().optional().describe('Whether it is read-only, as with `may: ["read"]`.'),
      may: scopes.optional().describe('Its scopes; without it, all.'),
    }),
    check: ({ readOnly, may }) =>
      readOnly === true && may !== undefined
        ? refuseField('invalid', 'may', 'A token has either readOnly or may.')
        : null,
    answer: answers.newToken,
    errors: ['invalid_due', 'conflict.too_many_tokens'],
    rules: ['AUTH2'],
    example: { name: 'nightly', may: ['read', 'edit'] },
  },
  'token:rotate': {
    ...own,
    name: 'token:rotate',
    transports: { rest: { method: 'POST', path: '/api/token/rotate' } },
    changes: true,
    resource: 'token',
    summary: 'Replaces an API token by a new one, and ends the old one.',
    description: 'The new token has the name, end and rights of the old one.',
    payload: named,
    answer: answers.newToken,
    errors: ['not_found', 'conflict.expired'],
    rules: ['AUTH2'],
    example: { id: EXAMPLE.tokenId },
  },
  'token:revoke': {
    ...own,
    name: 'token:revoke',
    transports: { rest: { method: 'DELETE', path: '/api/token' } },
    changes: true,
    resource: 'token',
    summary: 'Ends an API token.',
    description: 'It is invalid from then on, and all gateways close its sockets at once.',
    payload: named,
    answer: answers.done,
    errors: ['not_found'],
    rules: ['AUTH2'],
    example: { id: EXAMPLE.tokenId },
  },
  'admin:users': {
    ...own,
    name: 'admin:users',
    transports: { rest: { method: 'GET', path: '/api/admin/users' } },
    summary: 'Lists all users by id, for administrators.',
    description: 'Administrators have no access to other users’ nodes.',
    payload: z.strictObject({
      limit: z.int().min(1).max(1_000).default(100).describe('The most users of the page.'),
      after: anyId.optional().describe('The `next` of the page before.'),
    }),
    answer: answers.users,
    errors: ['forbidden'],
    rules: ['AUTH1'],
    example: { limit: 100 },
  },
  'admin:user': {
    ...own,
    name: 'admin:user',
    transports: { rest: { method: 'PUT', path: '/api/admin/user' } },
    changes: true,
    resource: 'user',
    summary: 'Disables or enables a user, for administrators.',
    description: "Disabling ends the user's sessions permanently and closes all their sockets.",
    payload: z.strictObject({ id: anyId, disabled: z.boolean() }),
    answer: answers.done,
    errors: ['forbidden', 'not_found', 'conflict.own_account'],
    rules: ['AUTH1'],
    example: { id: EXAMPLE.ann, disabled: false },
  },
} as const satisfies Record<string, Operation>;
