// Composites of the access table: each operation is decided like a single one.
import type { Fixture } from './access-fixture.ts';

type Operation = (fixture: Fixture) => { event: string; payload: object; as?: string };

/** Several operations in one. */
export const together =
  (...operations: readonly Operation[]) =>
  (fixture: Fixture) => ({ operations: operations.map((operation) => operation(fixture)) });
export const alone: Operation = () => ({ event: 'node:add', payload: { title: 'their own' } });
export const child: Operation = ({ node: target }) => ({ event: 'node:add', payload: { target }, as: 'child' });
export const rename =
  (id?: string, version?: number): Operation =>
  (fixture) => ({ event: 'node:update', payload: { id: id ?? fixture.node, title: 'new', version } });
export const grantBranch: Operation = ({ node: id, people }) => ({
  event: 'node:access',
  payload: { id, email: people.guest, branch: true },
});
