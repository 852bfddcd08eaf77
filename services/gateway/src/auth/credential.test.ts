import { newTokenText } from '@taskgraph/runtime/security/tokens';
import { expect, it } from 'vitest';
import { cookieNamed, credentialOf, refuseForgery, sessionCookie } from './credential.ts';

const session = newTokenText('session');
const api = newTokenText('api');

const secure = { isSecure: true };
const plain = { isSecure: false };
const host = 'tasks.example.com';

it('[AUTH1 AUTH3] prefers the Authorization header to the cookie, whether it is valid or not', () => {
  const cookie = `taskgraph_session=${session}`;
  const asked = (authorization: string | undefined) => credentialOf({ authorization, cookie, host }, plain);
  expect(asked(`Bearer ${api}`)).toEqual({ token: api, isCookie: false });
  expect(asked('Basic x')).toEqual({ token: null, isCookie: false });
  for (const none of ['', undefined]) expect(asked(none)).toEqual({ token: session, isCookie: true });
});

it('[AUTH1] accepts only a session from the cookie', () => {
  for (const value of [api, '', 'tgs_x', `${session}x`]) {
    expect(credentialOf({ cookie: `taskgraph_session=${value}`, host }, plain)).toEqual({
      token: null,
      isCookie: false,
    });
  }
});

it('[AUTH1] over TLS accepts no session from a cookie that another host, or a page without TLS, could have set', () => {
  const [own, strange] = [`__Host-taskgraph_session=${session}`, `taskgraph_session=${session}`];
  const token = (cookie: string, at: string, settings: Parameters<typeof credentialOf>[1]) =>
    credentialOf({ cookie, host: at }, settings).token;
  expect(token(own, host, secure)).toBe(session);
  expect(token(strange, host, secure)).toBe(null);
  expect(token(`${strange}; ${own}`, host, secure)).toBe(session);
  for (const machine of ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080']) {
    expect(token(strange, machine, secure)).toBe(session);
    expect(token(strange, machine, { ...secure, publicOrigin: `https://${host}` })).toBe(null);
    expect(token(own, machine, { ...secure, publicOrigin: `https://${host}` })).toBe(session);
  }
  expect(token(strange, host, { ...secure, publicOrigin: `http://${host}` })).toBe(session);
});

it('finds a cookie by its whole name', () => {
  const header = 'a=1; xtaskgraph_session=2;taskgraph_session=3=4 ; b';
  expect(cookieNamed('taskgraph_session', header)).toBe('3=4');
  for (const name of ['session', 'b', '']) expect(cookieNamed(name, header)).toBe(null);
});

it.each(['\u00a0', '\u2000', '\u3000', '\ufeff', '\v', '\f'])(
  '[AUTH1] a name after the blank %j is another name, because browsers let any neighbouring host set it',
  (blank) => {
    const forged = `${blank}__Host-taskgraph_session=${session}`;
    for (const cookie of [forged, `a=1; ${forged}`, `__Host-taskgraph_session${blank}=${session}`]) {
      expect(credentialOf({ cookie, host }, secure).token).toBe(null);
    }
    expect(credentialOf({ cookie: `\t a=1;\t __Host-taskgraph_session =${session} `, host }, secure).token).toBe(
      session,
    );
  },
);

it('[AUTH1] requires the origin of a browser’s page', () => {
  expect(refuseForgery('https://tasks.example.com', undefined)).toBe(null);
  expect(refuseForgery('', 'same-origin')).toBe(null);
  for (const site of ['', undefined, 'cross-site', 'same-site', 'none']) {
    expect(refuseForgery('', site)).toMatchObject({ code: 'forbidden.origin' });
  }
});

it('[AUTH1] hides a session from scripts, from other sites, and from connections without TLS', () => {
  const attributes = 'Max-Age=60; Path=/; HttpOnly';
  const [hidden, site] = [`${attributes}; Secure`, 'SameSite=Lax'];
  expect(sessionCookie('x', 60, host, secure)).toBe(`__Host-taskgraph_session=x; ${hidden}; ${site}`);
  expect(sessionCookie('x', 60, 'localhost:8080', secure)).toBe(`taskgraph_session=x; ${hidden}; ${site}`);
  expect(sessionCookie('x', 60, host, plain)).toBe(`taskgraph_session=x; ${attributes}; ${site}`);
});
