// The texts of error codes: each code of the service and of the SDK has one in Arabic, or keeps the English
// message on purpose.
import { readFileSync } from 'node:fs';
import type { TaskgraphErrorCode } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { main } from './ar/main.ts';
import { textOfCode } from './messages.ts';

/** Only a broken page, another program or a wrong setup gets these: their reader is a programmer or an operator. */
const IN_ENGLISH = [
  'bad_request',
  'bad_request.method',
  'bad_request.unknown_field',
  'bad_request.immutable_field',
  'bad_request.unknown_name',
  'bad_request.duplicate_name',
  'bad_request.dry_run_key',
  'bad_request.unknown_event',
  'unauthorized.late',
  'forbidden.origin',
  'forbidden.scope',
  'forbidden.target_required',
  'conflict.idempotency_key',
  'internal.broken_answer',
  'internal.unproven',
];

/** A missing code, and one that does not exist, are errors of types. */
const OF_CLIENT: Readonly<Record<Extract<TaskgraphErrorCode, `client.${string}`>, true>> = {
  'client.timeout': true,
  'client.disconnected': true,
  'client.closed': true,
  'client.too_many_calls': true,
  'client.queue_full': true,
  'client.outcome_unknown': true,
  'client.depends_on_refused': true,
  'client.replica_full': true,
  'client.other_user': true,
  'client.broken_answer': true,
};

test('[CON44] each error code has an Arabic text, or keeps the English message on purpose', () => {
  const table = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
  const ofService = [...table.matchAll(/^\| `([a-z_.A-Z<>]+)`/gm)].map(([, code = '']) => code.replace('<field>', ''));
  expect(ofService.length).toBeGreaterThan(60);
  const codes = [...ofService, ...Object.keys(OF_CLIENT)];
  const hasText = (code: string) => Object.hasOwn(main.refusals, code);
  const lacksText = (code: string) => textOfCode(main.refusals, code) === undefined;
  expect(codes.filter((code) => lacksText(code) && !IN_ENGLISH.includes(code))).toEqual([]);
  expect(IN_ENGLISH.filter((code) => !lacksText(code) || !codes.includes(code))).toEqual([]);
  const families = ['bad_request.missing_', 'bad_request.invalid_'];
  const invented = Object.keys(main.refusals).filter((code) => !codes.includes(code) && !isOfFamily(code));
  expect([families.every(hasText), invented]).toEqual([true, []]);
});

/** A code with the name of a field has its own text or that of its family. */
function isOfFamily(code: string): boolean {
  return /^bad_request\.(missing|invalid)_./.test(code);
}

test('[CON44] a code with the name of a field has its own text, else that of its family', () => {
  const { refusals } = main;
  for (const code of ['bad_request.invalid_content_type', 'bad_request.invalid_tags[3]', 'bad_request.invalid_x'])
    expect(textOfCode(refusals, code)).toBe(refusals['bad_request.invalid_']);
  expect(textOfCode(refusals, 'bad_request.missing_ack')).toBe(refusals['bad_request.missing_']);
  expect(textOfCode(refusals, 'bad_request.invalid_title')).toBe(refusals['bad_request.invalid_title']);
  for (const code of ['conflict.of_a_later_release', 'unknown_code', ''])
    expect(textOfCode(refusals, code)).toBeUndefined();
});
