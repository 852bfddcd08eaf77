import { expect, test } from 'vitest';
import { createUnsavedDrafts, type Draft } from './unsaved-drafts.ts';

const draft = (text: string): Draft<'description'> => ({ text, seen: '' });

test('[CON9] the draft of a description waits for its task, also under the real id', () => {
  const drafts = createUnsavedDrafts();
  drafts.set('pending:node:1', draft('mine'));
  drafts.rename('pending:node:1', 'a');
  expect([drafts.get('pending:node:1'), drafts.get('a')]).toEqual([undefined, draft('mine')]);
  drafts.rename('unknown', 'a');
  expect(drafts.get('a')).toEqual(draft('mine'));
  drafts.set('a', null);
  expect(drafts.get('a')).toBeUndefined();
});

test('[CON9] a text that is refused late shows in the field of a panel that was opened meanwhile', () => {
  const drafts = createUnsavedDrafts();
  const taken: string[] = [];
  const end = drafts.onReturn('a', 'title', ({ text }) => taken.push(text) === 1);
  expect(drafts.returnDraft('a', 'title', draft('first'))).toBe(true);
  // The field has a text of its own by now, so a message has to show this one.
  expect(drafts.returnDraft('a', 'title', draft('second'))).toBe(false);
  expect(drafts.returnDraft('b', 'title', draft('other'))).toBe(false);
  end();
  expect(drafts.returnDraft('a', 'title', draft('third'))).toBe(false);
  expect(taken).toEqual(['first', 'second']);
  expect(drafts.returnDraft('a', 'description', draft('long'))).toBe(true);
  expect(drafts.get('a')).toEqual(draft('long'));
});

test('the oldest drafts are forgotten', () => {
  const drafts = createUnsavedDrafts();
  for (let count = 0; count < 60; count++) drafts.set(String(count), draft('mine'));
  expect([drafts.get('9'), drafts.get('10')]).toEqual([undefined, draft('mine')]);
});
