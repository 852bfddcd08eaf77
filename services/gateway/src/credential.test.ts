import { newTokenText } from '@taskgraph/runtime/tokens';
import { expect, it } from 'vitest';
import { cookieNamed, credentialOf, refuseForgery, sessionCookie } from './credential.ts';

const session = newTokenText('session');
const api = newTokenText('api');

it('[AUTH1 AUTH3] takes the Authorization header before the cookie, right or wrong', () => {
  const cookie = `taskgraph_session=${session}`;
  expect(credentialOf(`Bearer ${api}`, cookie)).toEqual({ token: api, isCookie: false });
  expect(credentialOf('Basic x', cookie)).toEqual({ token: null, isCookie: false });
  for (const none of ['', undefined]) expect(credentialOf(none, cookie)).toEqual({ token: session, isCookie: true });
});

it('[AUTH1] takes nothing but a session from the cookie', () => {
  for (const value of [api, '', 'tgs_x', `${session}x`]) {
    expect(credentialOf('', `taskgraph_session=${value}`)).toEqual({ token: null, isCookie: false });
  }
});

it('finds a cookie by its whole name', () => {
  const header = 'a=1; xtaskgraph_session=2;taskgraph_session=3=4 ; b';
  expect(cookieNamed('taskgraph_session', header)).toBe('3=4');
  for (const name of ['session', 'b', '']) expect(cookieNamed(name, header)).toBe(null);
});

it('[AUTH1] wants a browser to say whose page it is', () => {
  expect(refuseForgery('https://tasks.example.com', undefined)).toBe(null);
  expect(refuseForgery('', 'same-origin')).toBe(null);
  for (const site of ['', undefined, 'cross-site', 'same-site', 'none']) {
    expect(refuseForgery('', site)).toMatchObject({ code: 'forbidden.origin' });
  }
});

it('[AUTH1] hides a session from scripts, from other sites, and from lines without TLS', () => {
  const attributes = 'Path=/; HttpOnly; SameSite=Lax; Max-Age=60';
  expect(sessionCookie('x', 60, { isSecure: true })).toBe(`taskgraph_session=x; ${attributes}; Secure`);
  expect(sessionCookie('x', 60, { isSecure: false })).toBe(`taskgraph_session=x; ${attributes}`);
});
