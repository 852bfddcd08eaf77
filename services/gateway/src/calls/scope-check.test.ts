// The scope of each call of the catalog, for each scope of a token.
import { batchable } from '@taskgraph/wire/operations/batch-parser';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { operationOf, operations } from '@taskgraph/wire/operations/operations';
import { isScope, SCOPES, type Scope } from '@taskgraph/wire/scopes';
import { expect, test } from 'vitest';
import { refuseOutsideScopes } from './scope-check.ts';

const cases = operations.flatMap((operation) => SCOPES.map((scope) => ({ ...operation, held: scope })));

/** The scopes by the first word of a call that changes something, written again from the rule. */
function expectedOf(name: string): Scope {
  if (/:(access|access:update|access:delete|showing|publish|publish:update|unpublish)$/.test(name)) return 'share';
  if (/:(trash|restore)$/.test(name)) return 'trash';
  if (/:delete$/.test(name)) return 'delete';
  return name.startsWith('link:') ? 'link' : 'edit';
}

test('[SCOPE1] every call on the graph, on webhooks or on sources of imports has a scope, every other call needs a session or none', () => {
  for (const { name, kind, caller, changes, scope } of operations) {
    if (name.startsWith('hook:')) expect([name, caller, scope]).toEqual([name, 'token', 'hooks']);
    else if (name.startsWith('import:'))
      expect([name, caller, scope]).toEqual([name, 'token', changes ? 'edit' : 'read']);
    else if (kind === 'account')
      expect([name, caller === 'token' && name !== 'me', scope]).toEqual([name, false, 'none']);
    else if (!changes) expect([name, scope]).toEqual([name, 'read']);
    else if (name.startsWith('batch:')) expect(scope).toBe(name === 'batch:run' ? 'operations' : 'changes');
    else expect([name, scope]).toEqual([name, expectedOf(name)]);
  }
  expect(batchable.every(({ scope }) => isScope(scope))).toBe(true);
});

test.each(cases.filter(({ scope }) => isScope(scope)))('[SCOPE1] $name with only $held', ({ scope, held }) => {
  const refusal = refuseOutsideScopes({ scope }, {}, [held]);
  if (scope === held) expect(refusal).toBe(null);
  else {
    const code = held === 'read' ? 'forbidden.read_only' : 'forbidden.scope';
    expect(refusal).toMatchObject({ code, details: { missing: [scope] } });
  }
  expect(refuseOutsideScopes({ scope }, {}, null)).toBe(null);
  const others = SCOPES.filter((one) => one !== scope);
  expect(refuseOutsideScopes({ scope }, {}, others)).toMatchObject({ code: 'forbidden.scope' });
});

test('[SCOPE1] calls without a scope are open to every token', () => {
  for (const held of SCOPES) expect(refuseOutsideScopes({ scope: 'none' }, {}, [held])).toBe(null);
});

test('[SCOPE2 BAT3] a batch needs the scopes of its operations; the refusal names the first one outside', () => {
  const payload = { operations: batchable.map(({ name }) => ({ event: name })) };
  for (const held of SCOPES) {
    const index = batchable.findIndex(({ scope }) => scope !== held);
    const details = { missing: [batchable[index]?.scope], index };
    expect(refuseOutsideScopes({ scope: 'operations' }, payload, [held])).toMatchObject({ details });
    const own = { operations: payload.operations.filter((_one, at) => batchable[at]?.scope === held) };
    expect(refuseOutsideScopes({ scope: 'operations' }, own, [held])).toBe(null);
  }
  const changing = SCOPES.filter((scope) => scope !== 'read');
  expect(refuseOutsideScopes({ scope: 'operations' }, payload, changing)).toBe(null);
});

test('[SCOPE2] an undo goes to a worker with any scope that changes the graph', () => {
  const codes = SCOPES.map((held) => refuseOutsideScopes({ scope: 'changes' }, {}, [held])?.code ?? null);
  expect(codes).toEqual(['forbidden.read_only', null, null, null, null, null, 'forbidden.scope']);
});

test('[SCOPE1 CLAIM1] a claim answers a whole node, so it needs edit and read', () => {
  const withRead = operations.filter(({ moreScopes = [] }) => moreScopes.includes('read'));
  expect(withRead.map(({ name }) => name)).toEqual(['node:claim']);
  const claim = operationOf('node:claim') as Operation;
  expect(refuseOutsideScopes(claim, {}, ['edit'])).toMatchObject({
    code: 'forbidden.scope',
    details: { missing: ['read'] },
  });
  expect(refuseOutsideScopes(claim, {}, ['read'])).toMatchObject({
    code: 'forbidden.read_only',
    details: { missing: ['edit'] },
  });
  expect(refuseOutsideScopes(claim, {}, ['edit', 'read'])).toBe(null);
  expect(refuseOutsideScopes(claim, {}, null)).toBe(null);
});

test('[SCOPE1 IO12] rows of imports lead to changes of links and to the trash, so their changes need these scopes', () => {
  const changes = operations.filter(({ name, changes }) => name.startsWith('import:') && changes);
  expect(changes.map(({ name }) => name)).toEqual(['import:begin', 'import:store', 'import:revert', 'import:delete']);
  for (const call of changes) {
    for (const held of SCOPES) expect(refuseOutsideScopes(call, {}, [held])?.code).toMatch(/^forbidden\./);
    expect(refuseOutsideScopes(call, {}, ['edit'])).toMatchObject({ details: { missing: ['link', 'trash'] } });
    expect(refuseOutsideScopes(call, {}, ['edit', 'link', 'trash'])).toBe(null);
  }
});
