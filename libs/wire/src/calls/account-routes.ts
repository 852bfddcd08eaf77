// The routes of accounts: what each is called with and answers. They are for REST alone. Rules: AUTH1, AUTH2, AUTH4.
import { z } from 'zod';
import { anyEmail, LONGEST_TICKET, PASSWORD_LENGTH, reachableEmail, username } from '../accounts.ts';
import type { Resource } from '../entities.ts';
import { text, timestamp } from '../fields.ts';
import { anyId } from '../ids.ts';
import * as answers from './account-answers.ts';
import type { ErrorName, RestRoute } from './call.ts';
import { EXAMPLE } from './examples.ts';

/** The declaration of a route. */
export interface AccountCall {
  /** Its own name, by which limits know it. */
  readonly name: string;
  readonly rest: RestRoute;
  readonly summary: string;
  readonly description: string;
  /** Its callers: everybody, whoever has a token, or a session alone (`forbidden.session_required`). */
  readonly caller: 'anybody' | 'token' | 'session';
  /** Whether it changes something, which read-only tokens may not do, nor pages of others by a cookie. */
  readonly changes: boolean;
  readonly resource: Resource;
  /** The fields; null where somebody else says what comes in the query. */
  readonly payload: z.ZodObject | null;
  /** The whole body where it was done; else a document, or the status of a redirect. */
  readonly answer: z.ZodType | 'document' | 302 | 303;
  /** The codes of its own; `errorsOfRoute` adds those of every route. */
  readonly errors: readonly ErrorName[];
  readonly rules: readonly string[];
  readonly example: Readonly<Record<string, unknown>>;
}

/** A password to be set. */
export const newPassword = text(PASSWORD_LENGTH.most, PASSWORD_LENGTH.least);
/** A password to be checked: whether one was ever allowed is not for the answer to tell. */
export const givenPassword = text(PASSWORD_LENGTH.most);
/** The token of a mailed link. */
const linkToken = text(LONGEST_TICKET, 1).describe('The text behind `#token=` of the mailed link.');
const endTokens = z.boolean().optional().describe('Whether the API tokens end too.');
const TOKEN_NAME_LENGTH = 100;

const nothing = z.strictObject({});
const named = z.strictObject({ id: anyId });
const open = { caller: 'anybody', changes: false, resource: 'user' } as const;
const own = { caller: 'session', changes: false, resource: 'user' } as const;
const { email, password, mailed: token } = EXAMPLE;

export const ACCOUNT_ROUTES = {
  login: {
    ...open,
    name: 'login',
    rest: { method: 'POST', path: '/api/login' },
    summary: 'Signs in by password.',
    description:
      'The session is a token for programs. A browser also gets it as a cookie. A wrong password, an unknown e-mail and a disabled user are all the same `unauthorized`.',
    payload: z.strictObject({ email: anyEmail, password: givenPassword }),
    answer: answers.signedIn,
    errors: [],
    rules: ['AUTH1', 'AUTH2', 'AUTH4'],
    example: { email, password },
  },
  logout: {
    ...own,
    name: 'logout',
    rest: { method: 'POST', path: '/api/logout' },
    changes: true,
    summary: 'Ends the session that asks.',
    description: 'Its sockets are closed at once.',
    payload: nothing,
    answer: answers.done,
    errors: [],
    rules: ['AUTH4'],
    example: {},
  },
  me: {
    ...own,
    name: 'me',
    rest: { method: 'GET', path: '/api/me' },
    caller: 'token',
    summary: 'Tells who the caller is.',
    description: 'With any token.',
    payload: nothing,
    answer: answers.me,
    errors: [],
    rules: ['AUTH1'],
    example: {},
  },
  password: {
    ...own,
    name: 'password',
    rest: { method: 'PUT', path: '/api/password' },
    changes: true,
    summary: 'Sets another password.',
    description: 'All other sessions end; API tokens stay unless `endTokens` is true.',
    payload: z.strictObject({ current: givenPassword, password: newPassword, endTokens }),
    answer: answers.done,
    errors: ['forbidden.wrong_password', 'bad_request.common_password'],
    rules: ['AUTH4'],
    example: { current: password, password: `${password} 2` },
  },
  'session:list': {
    ...own,
    name: 'session:list',
    rest: { method: 'GET', path: '/api/session' },
    summary: "Lists the caller's sessions, the oldest first.",
    description: '`current` is the one that asks.',
    payload: nothing,
    answer: answers.sessions,
    errors: [],
    rules: ['AUTH4'],
    example: {},
  },
  'session:end': {
    ...own,
    name: 'session:end',
    rest: { method: 'DELETE', path: '/api/session' },
    changes: true,
    resource: 'token',
    summary: 'Ends a session; without `id` all but the one that asks.',
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
    rest: { method: 'GET', path: '/api/token' },
    resource: 'token',
    summary: "Lists the caller's API tokens.",
    description: 'Without their texts, which nobody keeps.',
    payload: nothing,
    answer: answers.tokens,
    errors: [],
    rules: ['AUTH2'],
    example: {},
  },
  'token:create': {
    ...own,
    name: 'token:create',
    rest: { method: 'POST', path: '/api/token' },
    changes: true,
    resource: 'token',
    summary: 'Makes an API token.',
    description: '`plaintext` is shown this once. A user has at most 100 tokens.',
    payload: z.strictObject({
      name: text(TOKEN_NAME_LENGTH).optional(),
      expires: timestamp.nullable().optional().describe('When it ends; null for never.'),
      readOnly: z.boolean().optional().describe('Whether it may change nothing.'),
    }),
    answer: answers.newToken,
    errors: ['invalid_due', 'conflict.too_many_tokens'],
    rules: ['AUTH2'],
    example: { name: 'nightly', readOnly: true },
  },
  'token:rotate': {
    ...own,
    name: 'token:rotate',
    rest: { method: 'POST', path: '/api/token/rotate' },
    changes: true,
    resource: 'token',
    summary: 'Makes an API token in the place of another, which ends.',
    description: 'The new one has the name, end and rights of the old one.',
    payload: named,
    answer: answers.newToken,
    errors: ['not_found', 'conflict.expired'],
    rules: ['AUTH2'],
    example: { id: EXAMPLE.tokenId },
  },
  'token:revoke': {
    ...own,
    name: 'token:revoke',
    rest: { method: 'DELETE', path: '/api/token' },
    changes: true,
    resource: 'token',
    summary: 'Ends an API token.',
    description: 'It opens nothing from then on, and its sockets are closed on every gateway at once.',
    payload: named,
    answer: answers.done,
    errors: ['not_found'],
    rules: ['AUTH2'],
    example: { id: EXAMPLE.tokenId },
  },
  register: {
    ...open,
    name: 'register',
    rest: { method: 'POST', path: '/api/register' },
    summary: 'Asks for an account: a link is mailed to the e-mail.',
    description: 'The answer is the same whether or not the e-mail is known. The operator may have turned this off.',
    payload: z.strictObject({ email: reachableEmail, username }),
    answer: answers.done,
    errors: ['forbidden.registration_off'],
    rules: ['AUTH1', 'AUTH4', 'ACL4'],
    example: { email, username: 'ann' },
  },
  'register:page': {
    ...open,
    name: 'register:page',
    rest: { method: 'GET', path: '/api/register/verify' },
    summary: 'The page of a mailed link, on which its reader chooses the password.',
    description: 'Opening it changes nothing.',
    payload: null,
    answer: 'document',
    errors: ['forbidden.registration_off'],
    rules: ['AUTH4'],
    example: {},
  },
  'register:verify': {
    ...open,
    name: 'register:verify',
    rest: { method: 'POST', path: '/api/register/verify' },
    summary: 'Makes the user of a mailed link, with a password.',
    description: 'A link counts once, and for 24 hours. What was granted to the e-mail before shows from then on.',
    payload: z.strictObject({ token: linkToken, password: newPassword }),
    answer: answers.registered,
    errors: ['forbidden.registration_off', 'not_found', 'bad_request.common_password', 'conflict.registered'],
    rules: ['AUTH1', 'AUTH4'],
    example: { token, password },
  },
  'password:forgot': {
    ...open,
    name: 'password:forgot',
    rest: { method: 'POST', path: '/api/password/forgot' },
    summary: 'Has a link mailed to an account, for another password.',
    description: 'The answer is the same whether or not there is such an account.',
    payload: z.strictObject({ email: reachableEmail }),
    answer: answers.done,
    errors: ['forbidden.mail_off'],
    rules: ['AUTH4'],
    example: { email },
  },
  'password:page': {
    ...open,
    name: 'password:page',
    rest: { method: 'GET', path: '/api/password/reset' },
    summary: 'The page of a mailed link, on which its reader chooses another password.',
    description: 'Opening it changes nothing.',
    payload: null,
    answer: 'document',
    errors: ['forbidden.mail_off'],
    rules: ['AUTH4'],
    example: {},
  },
  'password:reset': {
    ...open,
    name: 'password:reset',
    rest: { method: 'POST', path: '/api/password/reset' },
    summary: 'Sets the password of whoever a mailed link is for.',
    description: 'A link counts once, and for an hour. All sessions end.',
    payload: z.strictObject({ token: linkToken, password: newPassword, endTokens }),
    answer: answers.done,
    errors: ['forbidden.mail_off', 'not_found', 'bad_request.common_password'],
    rules: ['AUTH4'],
    example: { token, password },
  },
  'oidc:login': {
    ...open,
    name: 'oidc:login',
    rest: { method: 'GET', path: '/api/oidc/login' },
    summary: 'Leads a browser to the OpenID Connect provider.',
    description: '`not_found` where the operator has none.',
    payload: nothing,
    answer: 302,
    errors: ['not_found'],
    rules: ['AUTH4'],
    example: {},
  },
  'oidc:callback': {
    ...open,
    name: 'oidc:callback',
    rest: { method: 'GET', path: '/api/oidc/callback' },
    summary: 'Where the provider leads the browser back to; it opens a session.',
    description: 'The query is the one of OpenID Connect.',
    payload: null,
    answer: 303,
    errors: ['not_found', 'forbidden.email_unverified', 'forbidden.identity', 'forbidden.registration_off'],
    rules: ['AUTH4'],
    example: {},
  },
  'admin:users': {
    ...own,
    name: 'admin:users',
    rest: { method: 'GET', path: '/api/admin/users' },
    summary: 'Lists all users by id, for administrators.',
    description: 'Being an administrator gives no access to anybody’s nodes.',
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
    rest: { method: 'PUT', path: '/api/admin/user' },
    changes: true,
    summary: 'Disables a user, or enables them again, for administrators.',
    description: 'Disabling ends their sessions for good and closes all their sockets.',
    payload: z.strictObject({ id: anyId, disabled: z.boolean() }),
    answer: answers.done,
    errors: ['forbidden', 'not_found', 'conflict.own_account'],
    rules: ['AUTH1'],
    example: { id: EXAMPLE.ann, disabled: false },
  },
} as const satisfies Record<string, AccountCall>;

export type RouteName = keyof typeof ACCOUNT_ROUTES;

/** The fields of a route; nothing where it has no schema. */
export type RouteFields<N extends RouteName> = (typeof ACCOUNT_ROUTES)[N]['payload'] extends z.ZodObject
  ? z.infer<(typeof ACCOUNT_ROUTES)[N]['payload']>
  : Record<never, never>;
