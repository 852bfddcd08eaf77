// The page behind mailed links: its security policy, and its script in a hand-made document.
import { createHash } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { passwordPage } from './pages.ts';

const { html, headers } = passwordPage('Choose a password', { mayEndTokens: false });
const partOf = (tag: string) => new RegExp(`<${tag}(?: type="module")?>([^]*?)</${tag}>`).exec(html)?.[1] ?? '';
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

it('[AUTH4] its policy allows only its own script and style, and requests only to its own host', () => {
  const policy = new Map(
    headers['Content-Security-Policy']?.split('; ').map((part) => {
      const [name = '', ...sources] = part.split(' ');
      return [name, sources.join(' ')];
    }),
  );
  expect(Object.fromEntries(policy)).toEqual({
    'default-src': "'none'",
    'script-src': hashOf(partOf('script')),
    'style-src': hashOf(partOf('style')),
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
  });
  // Attributes that run or load something would be blocked, and there are none.
  expect(html).not.toMatch(/\s(on\w+|style|src|href|action)=/);
});

/** Opens the page at a link, and returns the script's inputs and effects. */
function openPage(hash: string, answer: object, boxes: Record<string, { checked: boolean }> = {}) {
  const said = { textContent: '' };
  const sent: [path: string, options: { method: string; body: string }][] = [];
  const shown: string[] = [];
  let submit: (event: object) => Promise<void> = () => Promise.reject(new Error('nobody listens'));
  const form = {
    hidden: false,
    elements: { password: { value: 'correct horse battery staple' }, ...boxes },
    addEventListener: (_: string, listener: typeof submit) => {
      submit = listener;
    },
  };
  const document = { querySelector: (name: string) => (name === 'form' ? form : said) };
  const history = { replaceState: (_state: null, _title: string, path: string) => void shown.push(path) };
  const fetch = async (path: string, options: { method: string; body: string }) => {
    sent.push([path, options]);
    return { json: async () => answer };
  };
  const location = { hash, pathname: '/api/register/verify' };
  runInContext(partOf('script'), createContext({ document, history, fetch, location, URLSearchParams, JSON }));
  return { form, said, sent, shown, submit: () => submit({ preventDefault: () => undefined }) };
}

it('[AUTH4] opening the page sends nothing and removes the token from the address; the form sends it with the password', async () => {
  const page = openPage('#token=a.b-c_d', { ok: true });
  expect([page.sent, page.shown]).toEqual([[], ['/api/register/verify']]);
  await page.submit();
  expect(page.sent).toHaveLength(1);
  const [path, { method, body }] = page.sent[0]!;
  expect([path, method]).toEqual(['/api/register/verify', 'POST']);
  expect(JSON.parse(body)).toEqual({ token: 'a.b-c_d', password: 'correct horse battery staple' });
  expect([page.form.hidden, page.said.textContent]).toEqual([true, expect.stringContaining('is set')]);
});

it.each([true, false])('[AUTH4] a password reset offers to end API tokens too, and sends %j', async (checked) => {
  expect(passwordPage('Again', { mayEndTokens: true }).html).toContain('type="checkbox" name="endTokens"');
  // A thief's calendar reads everything, as a token does.
  expect(passwordPage('Again', { mayEndTokens: true }).html).toContain('End my API tokens, calendars and webhooks too');
  expect(html).not.toContain('checkbox" name');
  const page = openPage('#token=a.b', { ok: true }, { endTokens: { checked } });
  await page.submit();
  const sent = JSON.parse(page.sent[0]?.[1].body ?? '');
  expect(sent).toEqual({ token: 'a.b', password: 'correct horse battery staple', endTokens: checked });
});

it('[AUTH4] shows the reason of a refusal, and allows another attempt', async () => {
  const page = openPage('', { ok: false, message: 'This password is among the first that others try.' });
  await page.submit();
  expect([page.form.hidden, page.said.textContent]).toEqual([
    false,
    'This password is among the first that others try.',
  ]);
});
