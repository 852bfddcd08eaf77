// The operations on sessions, API tokens and bots. Rules: AUTH1, AUTH2, AUTH4.
import { z } from 'zod';
import { username } from '../account-fields.ts';
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
const bot = anyId.optional().describe('A bot of the caller, for its tokens.');
const namedToken = named.extend({ bot });

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
    summary: "Lists the API tokens of the caller, or of one of the caller's bots.",
    description: 'Without their texts, which the service does not store.',
    payload: z.strictObject({ bot }),
    answer: answers.tokens,
    errors: ['not_found'],
    rules: ['AUTH2', 'BOT2'],
    example: {},
  },
  'token:create': {
    ...own,
    name: 'token:create',
    transports: { rest: { method: 'POST', path: '/api/token' } },
    changes: true,
    resource: 'token',
    summary: "Creates an API token for the caller, or for one of the caller's bots.",
    description: `Only this answer contains \`plaintext\`. A user has at most 100 tokens. A token of a bot ends within 365 days. Outside its scopes a call is \`forbidden.scope\`: ${meanings}.`,
    payload: z.strictObject({
      name: text(TOKEN_NAME_LENGTH).optional(),
      expires: timestamp.nullable().optional().describe('When it ends; null for never.'),
      readOnly: z.boolean().optional().describe('Whether it is read-only, as with `scopes: ["read"]`.'),
      scopes: scopes.optional().describe('Its scopes; without it, all.'),
      bot,
    }),
    check: ({ readOnly, scopes }) =>
      readOnly === true && scopes !== undefined
        ? refuseField('invalid', 'scopes', 'A token has either readOnly or scopes.')
        : null,
    answer: answers.newToken,
    errors: ['invalid_due', 'conflict.too_many_tokens', 'not_found'],
    rules: ['AUTH2', 'SCOPE1', 'BOT2'],
    example: { name: 'nightly', scopes: ['read', 'edit'] },
  },
  'token:rotate': {
    ...own,
    name: 'token:rotate',
    transports: { rest: { method: 'POST', path: '/api/token/rotate' } },
    changes: true,
    resource: 'token',
    summary: 'Replaces an API token by a new one, and ends the old one.',
    description: 'The new token has the name, end and scopes of the old one.',
    payload: namedToken,
    answer: answers.newToken,
    errors: ['not_found', 'conflict.expired'],
    rules: ['AUTH2', 'BOT2'],
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
    payload: namedToken,
    answer: answers.done,
    errors: ['not_found'],
    rules: ['AUTH2', 'BOT2'],
    example: { id: EXAMPLE.tokenId },
  },
  'bot:list': {
    ...own,
    name: 'bot:list',
    transports: { rest: { method: 'GET', path: '/api/bot' } },
    summary: "Lists the caller's bots, oldest first.",
    description: 'Without removed ones.',
    payload: nothing,
    answer: answers.bots,
    errors: [],
    rules: ['BOT1'],
    example: {},
  },
  'bot:create': {
    ...own,
    name: 'bot:create',
    transports: { rest: { method: 'POST', path: '/api/bot' } },
    changes: true,
    resource: 'bot',
    summary: 'Creates a bot: a user without sign-in, for programs.',
    description:
      'A bot sees and does only what grants to its address allow, and owns no nodes. The caller maintains it, and creates its tokens by `POST /api/token`. A user has at most 20 bots.',
    payload: z.strictObject({ name: username.describe('Its user name, as history shows it.') }),
    answer: answers.newBot,
    errors: ['conflict.too_many_bots'],
    rules: ['BOT1'],
    example: { name: 'importer' },
  },
  'bot:remove': {
    ...own,
    name: 'bot:remove',
    transports: { rest: { method: 'DELETE', path: '/api/bot' } },
    changes: true,
    resource: 'bot',
    summary: 'Removes a bot and ends its tokens.',
    description:
      'All gateways close its sockets at once. History still names it, and grants to its address have no effect.',
    payload: named,
    answer: answers.done,
    errors: ['not_found'],
    rules: ['BOT1', 'BOT2'],
    example: { id: EXAMPLE.bot },
  },
} as const satisfies Record<string, Operation>;
