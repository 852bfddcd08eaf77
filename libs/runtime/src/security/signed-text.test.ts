import { expect, it } from 'vitest';
import { signingSecrets } from '../service/settings.ts';
import { signText, verifyText } from './signed-text.ts';

const [OLD, NEW] = ['the secret from before', 'the secret of these days'];
const content = Buffer.from('content');

it('during a change of secret, the first secret signs, and signatures by either are accepted', () => {
  const both = [NEW, OLD] as const;
  expect(verifyText(both, 'position', signText(OLD, 'position', content))).toEqual(content);
  expect(verifyText(both, 'position', signText(NEW, 'position', content))).toEqual(content);
  // A service with only the new secret accepts texts of a service with both; one with only the old
  // secret accepts none of them.
  expect(verifyText(NEW, 'position', signText(both, 'position', content))).toEqual(content);
  expect(verifyText(OLD, 'position', signText(both, 'position', content))).toBeNull();
  expect(verifyText(both, 'position', signText('a secret of somebody else', 'position', content))).toBeNull();
  expect(verifyText(both, 'cursor', signText(both, 'position', content))).toBeNull();
});

it.each([
  ['one secret', OLD, [OLD]],
  ['two', `${NEW},${OLD}`, [NEW, OLD]],
  ['two with blanks around', ` ${NEW} , ${OLD} `, [NEW, OLD]],
])('TASKGRAPH_SECRET accepts %s', (_what, text, secrets) => {
  expect(signingSecrets.parse(text)).toEqual(secrets);
});

it.each([
  ['a short one', 'short'],
  ['a short second one', `${NEW},short`],
  ['an empty second one', `${NEW},`],
  ['three', `${NEW},${OLD},${OLD}`],
])('TASKGRAPH_SECRET refuses %s, and does not repeat it', (_what, text) => {
  const { success, error } = signingSecrets.safeParse(text);
  expect(success).toBe(false);
  expect(error?.message).toContain('one or two secrets');
  expect(error?.message).not.toContain(NEW);
});
