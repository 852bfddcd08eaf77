import { expect, test } from 'vitest';
import { type Place, pathOf, placeOf, searchWith } from './routes.ts';

test('[CON1] each place has one path', () => {
  const places: Exclude<Place, { view: 'unknown' }>[] = [
    { view: 'ready' },
    { view: 'graph' },
    { view: 'outline' },
    { view: 'board' },
    { view: 'plan' },
    { view: 'history' },
    { view: 'trash' },
    { view: 'shared' },
    { view: 'settings' },
    { view: 'users' },
    { view: 'published', token: 'a-public_token' },
    { view: 'signin' },
    { view: 'register' },
    { view: 'forgot' },
    { view: 'task', id: '01890000-0000-7000-8000-000000000001' },
    { view: 'task', id: 'a/b?c' },
  ];
  for (const place of places) expect(placeOf(pathOf(place))).toEqual(place);
});

test('the root is the list of ready tasks, with or without a slash at the end', () => {
  for (const path of ['/', '/ready', '/ready/']) expect(placeOf(path)).toEqual({ view: 'ready' });
});

test('other paths have no place', () => {
  for (const path of [
    '/task',
    '/task/',
    '/task/a/b',
    '/ready/now',
    '/signin/x',
    '/p',
    '/p/',
    '/p/a/b',
    '/admin',
    '/admin/x',
    '/elsewhere',
  ]) {
    expect(placeOf(path), path).toEqual({ view: 'unknown' });
  }
});

test('a broken escape is a task that does not exist', () => {
  expect(placeOf('/task/%E0%A4%A')).toEqual({ view: 'task', id: '%E0%A4%A' });
});

test('[CON14 CON25] a query keeps its other parameters, and its texts stay readable', () => {
  const search = searchWith('?f=tag%3Aweb', { sel: 'a,b' });
  expect(search).toBe('?f=tag:web&sel=a,b');
  expect([searchWith(search, { f: null }), searchWith('?sel=a', { sel: null })]).toEqual(['?sel=a,b', '']);
  expect(new URLSearchParams(searchWith('', { f: 'a, b:c+d' })).get('f')).toBe('a, b:c+d');
});
