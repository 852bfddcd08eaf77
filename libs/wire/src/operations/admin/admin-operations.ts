// The operations of administrators. Each needs a session of an administrator, and the audit log has a
// line for each call. Rules: ADMIN1 to ADMIN6.
import { z } from 'zod';
import { anyEmail } from '../../account-fields.ts';
import { refuse } from '../../errors.ts';
import { anyId } from '../../ids.ts';
import { WEBHOOK_STATES } from '../../webhooks/webhook-fields.ts';
import { done } from '../account-answers.ts';
import { own } from '../account-operations.ts';
import { EXAMPLE } from '../examples.ts';
import type { Operation } from '../operation.ts';
import * as answers from './admin-answers.ts';

const shared = {
  ...own,
  level: { least: null, say: 'A session of an administrator; API tokens are refused.' },
} as const;
const page = {
  limit: z.int().min(1).max(1_000).default(100).describe('The most entries of the page.'),
  after: anyId.optional().describe('The `next` of the page before.'),
};
const user = anyId.describe('The id of a user or a bot.');

const endedSessions = z.strictObject({
  user,
  id: anyId.optional().describe('The session that ends.'),
  all: z.boolean().optional().describe('Ends all sessions.'),
});

export const adminOperations = {
  'admin:users': {
    ...shared,
    name: 'admin:users',
    transports: { rest: { method: 'GET', path: '/api/admin/users' } },
    summary: 'Lists all users by id, for administrators.',
    description: 'Administrators have no access to other users’ nodes.',
    payload: z.strictObject(page),
    answer: answers.users,
    errors: ['forbidden'],
    rules: ['AUTH1', 'ADMIN1'],
    example: { limit: 100 },
  },
  'admin:user:find': {
    ...shared,
    name: 'admin:user:find',
    transports: { rest: { method: 'POST', path: '/api/admin/user/find' } },
    resource: 'user',
    summary: 'Returns the user with an address, for administrators.',
    description: 'A POST, because proxies log the addresses of requests.',
    payload: z.strictObject({ email: anyEmail }),
    answer: answers.foundUser,
    errors: ['forbidden', 'not_found'],
    rules: ['ADMIN1'],
    example: { email: EXAMPLE.guest },
  },
  'admin:user': {
    ...shared,
    name: 'admin:user',
    transports: { rest: { method: 'PUT', path: '/api/admin/user' } },
    changes: true,
    resource: 'user',
    summary: 'Disables or enables a user, for administrators.',
    description: "Disabling ends the user's sessions permanently and closes all their sockets.",
    payload: z.strictObject({ id: anyId, disabled: z.boolean() }),
    answer: done,
    errors: ['forbidden', 'not_found', 'conflict.own_account'],
    rules: ['AUTH1', 'ADMIN1'],
    example: { id: EXAMPLE.ann, disabled: false },
  },
  'admin:status': {
    ...shared,
    name: 'admin:status',
    transports: { rest: { method: 'GET', path: '/api/admin/status' } },
    summary: 'Returns the state of the running services, for administrators.',
    description: 'Their versions and backends, the leases, the lengths of the queues, and some metrics.',
    payload: z.strictObject({}),
    answer: answers.status,
    errors: ['forbidden'],
    rules: ['ADMIN1', 'ADMIN3'],
    example: {},
  },
  'admin:service': {
    ...shared,
    name: 'admin:service',
    transports: { rest: { method: 'GET', path: '/api/admin/service' } },
    summary: 'Returns the settings and metrics of a running process, for administrators.',
    description: 'Settings with free text are not shown, because they may be secrets.',
    payload: z.strictObject({ process: anyId.describe('The `process` of a service in the status.') }),
    answer: answers.serviceDetails,
    errors: ['forbidden', 'not_found'],
    rules: ['ADMIN1', 'ADMIN4'],
    example: { process: EXAMPLE.process },
  },
  'admin:sessions': {
    ...shared,
    name: 'admin:sessions',
    transports: { rest: { method: 'GET', path: '/api/admin/sessions' } },
    summary: 'Lists the sessions of a user, oldest first, for administrators.',
    description: 'A user has at most 100 sessions.',
    payload: z.strictObject({ user }),
    answer: answers.userSessions,
    errors: ['forbidden', 'not_found'],
    rules: ['ADMIN1', 'ADMIN5'],
    example: { user: EXAMPLE.ann },
  },
  'admin:session:end': {
    ...shared,
    name: 'admin:session:end',
    transports: { rest: { method: 'DELETE', path: '/api/admin/session' } },
    changes: true,
    resource: 'token',
    summary: 'Ends a session of a user, or all of them, for administrators.',
    description: 'Their sockets are closed at once. Exactly one of `id` and `all` is required.',
    payload: endedSessions,
    check: ({ id, all }: z.infer<typeof endedSessions>) =>
      (id === undefined) !== (all === true) ? refuse('bad_request', 'Give either id or all.') : null,
    answer: done,
    errors: ['forbidden', 'not_found', 'bad_request'],
    rules: ['ADMIN1', 'ADMIN5'],
    example: { user: EXAMPLE.ann, all: true },
  },
  'admin:tokens': {
    ...shared,
    name: 'admin:tokens',
    transports: { rest: { method: 'GET', path: '/api/admin/tokens' } },
    summary: 'Lists the API tokens of a user or a bot, oldest first, for administrators.',
    description: 'Without their names. A user has at most 100 tokens.',
    payload: z.strictObject({ user }),
    answer: answers.userTokens,
    errors: ['forbidden', 'not_found'],
    rules: ['ADMIN1', 'ADMIN5'],
    example: { user: EXAMPLE.ann },
  },
  'admin:token:revoke': {
    ...shared,
    name: 'admin:token:revoke',
    transports: { rest: { method: 'DELETE', path: '/api/admin/token' } },
    changes: true,
    resource: 'token',
    summary: 'Ends an API token of a user or a bot, for administrators.',
    description: 'It is invalid from then on, and all gateways close its sockets at once.',
    payload: z.strictObject({ user, id: anyId }),
    answer: done,
    errors: ['forbidden', 'not_found'],
    rules: ['ADMIN1', 'ADMIN5'],
    example: { user: EXAMPLE.ann, id: EXAMPLE.tokenId },
  },
  'admin:hooks': {
    ...shared,
    name: 'admin:hooks',
    transports: { rest: { method: 'GET', path: '/api/admin/hooks' } },
    summary: 'Lists the webhooks of all users by id, for administrators.',
    description: 'With their state and lag, and without their addresses.',
    payload: z.strictObject({ ...page, state: z.enum(WEBHOOK_STATES).optional().describe('Lists only those in it.') }),
    answer: answers.userHooks,
    errors: ['forbidden'],
    rules: ['ADMIN1', 'ADMIN6'],
    example: { limit: 100 },
  },
  'admin:hook:disable': {
    ...shared,
    name: 'admin:hook:disable',
    transports: { rest: { method: 'POST', path: '/api/admin/hook/disable' } },
    changes: true,
    resource: 'hook',
    summary: 'Disables a webhook of a user, for administrators.',
    description: 'Its user may enable it again, from where it ended.',
    payload: z.strictObject({ id: anyId }),
    answer: done,
    errors: ['forbidden', 'not_found'],
    rules: ['ADMIN1', 'ADMIN6'],
    example: { id: EXAMPLE.hook },
  },
} as const satisfies Record<string, Operation>;
