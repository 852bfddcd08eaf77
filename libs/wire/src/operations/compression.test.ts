// The operations whose answers may be compressed. Rule: ZIP1.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { operations } from './operations.ts';

/** Names of fields that contain a secret, or a part of one. */
const SECRET = /token|secret|session|plaintext|password|prefix|private_?key|invitation|device/i;
/** The gateway leaves answers with a public token plain. */
const PLAIN_IN_GATEWAYS = ['publicToken'];

function fieldsIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(fieldsIn);
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...others } = schema as { properties?: Record<string, unknown> };
  return [
    ...Object.keys(properties),
    ...Object.values(properties).flatMap(fieldsIn),
    ...fieldsIn(Object.values(others)),
  ];
}

test.each(operations.map((operation) => [operation.name, operation] as const))(
  '[ZIP1] the answer of %s is compressed only if it has no secret',
  (_, { answer, compress }) => {
    if (compress !== true) return;
    if (typeof answer !== 'object') throw new Error('a document or redirect is not compressed');
    const fields = fieldsIn(z.toJSONSchema(answer, { unrepresentable: 'any' }));
    expect(fields.length).toBeGreaterThan(0);
    expect(fields.filter((name) => SECRET.test(name) && !PLAIN_IN_GATEWAYS.includes(name))).toEqual([]);
  },
);

test('[ZIP1] answers with tokens and sessions are never compressed', () => {
  const withSecrets = operations.filter(
    ({ kind, answer }) =>
      kind === 'account' &&
      typeof answer === 'object' &&
      fieldsIn(z.toJSONSchema(answer, { unrepresentable: 'any' })).some((name) => SECRET.test(name)),
  );
  expect(withSecrets.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['login', 'token:create', 'token:rotate', 'token:list']),
  );
  expect(withSecrets.filter(({ compress }) => compress === true)).toEqual([]);
});
