import { TaskgraphError } from '@taskgraph/client';
import { describe, expect, test } from 'vitest';
import { REMEDIES } from './catalog.ts';
import { CliError, describeFailure, EXIT, exitCodeOf, remedyOf } from './failures.ts';

const plain = { red: String };
const refused = (code: string) => new TaskgraphError({ code: code as never, message: 'No.', traceId: null });

describe('each error code has its exit code', () => {
  test.each([
    ['unauthorized', EXIT.signedOut],
    ['forbidden.read_only', EXIT.forbidden],
    ['no_permission', EXIT.forbidden],
    ['not_found', EXIT.notFound],
    ['version_conflict', EXIT.conflict],
    ['conflict.cycle', EXIT.conflict],
    ['not_trashed_node', EXIT.conflict],
    ['unavailable', EXIT.unreachable],
    ['client.disconnected', EXIT.unreachable],
    ['rate_limited', EXIT.limited],
    ['bad_request.out_of_range', EXIT.usage],
    ['internal.exception', EXIT.failed],
  ])('%s', (code, exit) => {
    expect(exitCodeOf(refused(code))).toBe(exit);
  });
});

test('every code of the service has a remedy for people, without links to documents', () => {
  const remedies = Object.keys(REMEDIES).map((code) => remedyOf(refused(code.replace('<field>', 'title'))));
  expect(remedies.length).toBeGreaterThan(50);
  for (const remedy of remedies) expect(remedy).toMatch(/^[^\][`]+\.?$/);
});

test('a failure prints two lines', () => {
  const failure = new CliError('notFound', 'There is no node "x".', 'List nodes: taskgraph ls');
  expect(describeFailure(failure, plain)).toMatch(/^error: There is no node "x"\.\n {2}List nodes: taskgraph ls$/);
  expect(describeFailure(refused('conflict.cycle'), plain)).toContain('No. (conflict.cycle)\n  ');
  expect(describeFailure(new Error('a bug'), plain)).toMatch(/^error: a bug$/);
  expect(exitCodeOf(new Error('a bug'))).toBe(EXIT.failed);
});
