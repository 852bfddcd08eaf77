import { expect, it } from 'vitest';
import { parseQueryString } from './query-string.ts';

it('[GEN5] decodes names and values, and records repeated names', () => {
  const parsed = parseQueryString('limit=5&na%20me=a+b%26c&empty=&bare&&limit=6');
  expect(parsed).toEqual({ values: { limit: '5,6', 'na me': 'a b&c', empty: '', bare: '' }, repeated: ['limit'] });
});

it('treats names of the prototype as ordinary names', () => {
  const parsed = parseQueryString('__proto__=1&toString=2') as { values: object; repeated: string[] };
  expect(Object.keys(parsed.values)).toEqual(['__proto__', 'toString']);
  expect(parsed.repeated).toEqual([]);
});

it('[GEN3] accepts two hundred parameters, and does not read more', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&');
  expect(parseQueryString(many(200))).toMatchObject({ repeated: [] });
  for (const text of [many(201), '&'.repeat(201), `${many(200)}&%`]) {
    expect(parseQueryString(text)).toMatchObject({ code: 'bad_request' });
  }
});

it('[GEN3] refuses broken percent encoding', () => {
  for (const text of ['a=%', 'a=%zz', '%ff=1']) expect(parseQueryString(text)).toMatchObject({ code: 'bad_request' });
});
