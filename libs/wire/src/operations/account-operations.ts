// The operations of sign-in, passwords and registration. Rules: AUTH1, AUTH2, AUTH4.
import { z } from 'zod';
import { anyEmail, LONGEST_TICKET, PASSWORD_LENGTH, reachableEmail, username } from '../account-fields.ts';
import { text } from '../fields.ts';
import * as answers from './account-answers.ts';
import { EXAMPLE } from './examples.ts';
import type { Operation } from './operation.ts';

/** A new password. */
const newPassword = text(PASSWORD_LENGTH.most, PASSWORD_LENGTH.least);
/**
 * A password to check. It has no lower bound, so that the answer does not reveal the rule for
 * passwords.
 */
const givenPassword = text(PASSWORD_LENGTH.most);
/** The token of a mailed link. */
const linkToken = text(LONGEST_TICKET, 1).describe('The text behind `#token=` of the mailed link.');
const signInLink = text(LONGEST_TICKET, 1).describe('The text behind `#link=` of the link.');
const endTokens = z.boolean().optional().describe('Whether the API tokens, the calendars and the webhooks end too.');

const nothing = z.strictObject({});
const open = {
  kind: 'account',
  caller: 'anybody',
  level: { least: null, say: 'None: everyone may call it.' },
  changes: false,
  scope: 'none',
  pushes: [],
} as const;
/** The parts of operations that need a session. */
export const own = {
  kind: 'account',
  caller: 'session',
  level: { least: null, say: 'A session; API tokens are refused.' },
  changes: false,
  scope: 'none',
  pushes: [],
} as const;
const { email, password, mailed: token } = EXAMPLE;

export const accountOperations = {
  capabilities: {
    ...open,
    name: 'capabilities',
    transports: { rest: { method: 'GET', path: '/api/capabilities' } },
    summary: 'Returns what this service offers: registration, sign-in, documents and limits.',
    description:
      'For clients that have no account yet, such as a sign-in page. The ETag changes with the settings of the operator.',
    payload: nothing,
    compress: true,
    answer: answers.capabilities,
    errors: [],
    rules: ['CAP1', 'LIM1'],
    example: {},
  },
  login: {
    ...open,
    name: 'login',
    transports: { rest: { method: 'POST', path: '/api/login' } },
    resource: 'user',
    summary: 'Signs in by password.',
    description:
      'The session is a token for programs. A browser also gets it as a cookie. A wrong password, an unknown e-mail and a disabled user all get the same `unauthorized`.',
    payload: z.strictObject({ email: anyEmail, password: givenPassword }),
    answer: answers.signedIn,
    errors: [],
    rules: ['AUTH1', 'AUTH2', 'AUTH4'],
    example: { email, password },
  },
  'login:link': {
    ...open,
    name: 'login:link',
    transports: { rest: { method: 'POST', path: '/api/login/link' } },
    resource: 'user',
    summary: 'Signs in by a link of the operator.',
    description:
      'The link is valid for 15 minutes and for one use, until the operator makes another one for the user. The answer is that of `POST /api/login`.',
    payload: z.strictObject({ token: signInLink }),
    answer: answers.signedIn,
    errors: ['not_found'],
    rules: ['AUTH5'],
    example: { token },
  },
  logout: {
    ...own,
    name: 'logout',
    transports: { rest: { method: 'POST', path: '/api/logout' } },
    changes: true,
    resource: 'user',
    summary: 'Ends the session of this request.',
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
    transports: { rest: { method: 'GET', path: '/api/me' } },
    caller: 'token',
    level: { least: null, say: 'Any token.' },
    summary: "Returns the caller's user.",
    description: 'Accepts any token.',
    payload: nothing,
    answer: answers.me,
    errors: [],
    rules: ['AUTH1'],
    example: {},
  },
  password: {
    ...own,
    name: 'password',
    transports: { rest: { method: 'PUT', path: '/api/password' } },
    changes: true,
    resource: 'user',
    summary: "Changes the caller's password.",
    description: 'All other sessions end; API tokens, calendars and webhooks stay unless `endTokens` is true.',
    payload: z.strictObject({ current: givenPassword, password: newPassword, endTokens }),
    answer: answers.done,
    errors: ['forbidden.wrong_password', 'bad_request.common_password'],
    rules: ['AUTH4'],
    example: { current: password, password: `${password} 2` },
  },
  register: {
    ...open,
    name: 'register',
    transports: { rest: { method: 'POST', path: '/api/register' } },
    resource: 'user',
    summary: 'Requests an account: the service mails a link to the e-mail.',
    description:
      'The answer is the same whether or not the e-mail has an account. The operator may have turned registration off.',
    payload: z.strictObject({ email: reachableEmail, username }),
    answer: answers.done,
    errors: ['forbidden.registration_off'],
    rules: ['AUTH1', 'AUTH4', 'ACL4'],
    example: { email, username: 'ann' },
  },
  'register:page': {
    ...open,
    name: 'register:page',
    transports: { rest: { method: 'GET', path: '/api/register/verify', anyQuery: true } },
    summary: 'Returns the page of a mailed link, on which the new user chooses a password.',
    description: 'Opening it changes nothing.',
    payload: nothing,
    answer: 'document',
    errors: ['forbidden.registration_off'],
    rules: ['AUTH4'],
    example: {},
  },
  'register:verify': {
    ...open,
    name: 'register:verify',
    transports: { rest: { method: 'POST', path: '/api/register/verify' } },
    resource: 'user',
    summary: 'Creates the user of a mailed link, with a password.',
    description: 'A link is valid once, and for 24 hours. Earlier grants to the e-mail take effect with the account.',
    payload: z.strictObject({ token: linkToken, password: newPassword }),
    answer: answers.registered,
    errors: ['forbidden.registration_off', 'not_found', 'bad_request.common_password', 'conflict.registered'],
    rules: ['AUTH1', 'AUTH4'],
    example: { token, password },
  },
  'password:forgot': {
    ...open,
    name: 'password:forgot',
    transports: { rest: { method: 'POST', path: '/api/password/forgot' } },
    resource: 'user',
    summary: 'Mails a link for a new password to the e-mail.',
    description: 'The answer is the same whether or not the e-mail has an account.',
    payload: z.strictObject({ email: reachableEmail }),
    answer: answers.done,
    errors: ['forbidden.mail_off'],
    rules: ['AUTH4'],
    example: { email },
  },
  'password:page': {
    ...open,
    name: 'password:page',
    transports: { rest: { method: 'GET', path: '/api/password/reset', anyQuery: true } },
    summary: 'Returns the page of a mailed link, on which the user chooses another password.',
    description: 'Opening it changes nothing.',
    payload: nothing,
    answer: 'document',
    errors: ['forbidden.mail_off'],
    rules: ['AUTH4'],
    example: {},
  },
  'password:reset': {
    ...open,
    name: 'password:reset',
    transports: { rest: { method: 'POST', path: '/api/password/reset' } },
    resource: 'user',
    summary: "Sets the password of a mailed link's user.",
    description: 'A link is valid once, and for an hour. All sessions end.',
    payload: z.strictObject({ token: linkToken, password: newPassword, endTokens }),
    answer: answers.done,
    errors: ['forbidden.mail_off', 'not_found', 'bad_request.common_password'],
    rules: ['AUTH4'],
    example: { token, password },
  },
  'oidc:login': {
    ...open,
    name: 'oidc:login',
    transports: { rest: { method: 'GET', path: '/api/oidc/login' } },
    summary: 'Redirects a browser to the OpenID Connect provider.',
    description: '`not_found` if the operator has none.',
    payload: nothing,
    answer: 302,
    errors: ['not_found'],
    rules: ['AUTH4'],
    example: {},
  },
  'oidc:callback': {
    ...open,
    name: 'oidc:callback',
    transports: { rest: { method: 'GET', path: '/api/oidc/callback', anyQuery: true } },
    summary: 'Receives the browser from the provider, and creates a session.',
    description: 'The query is that of OpenID Connect.',
    payload: nothing,
    answer: 303,
    errors: ['not_found', 'forbidden.email_unverified', 'forbidden.identity', 'forbidden.registration_off'],
    rules: ['AUTH4'],
    example: {},
  },
} as const satisfies Record<string, Operation>;
