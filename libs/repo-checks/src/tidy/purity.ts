// `domain` and `commands` decide without clock, randomness or IO: the same world and payload always
// give the same changes.

import { importsOf } from './imports.ts';
import { isTest, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

const PURE = ['libs/domain/src/', 'libs/commands/src/'];

/** Globals with side effects or hidden inputs. */
const AMBIENT = new Set([
  'process',
  'globalThis',
  'console',
  'crypto',
  'performance',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
]);

/** The pure functions of Date. */
const PURE_DATE = new Set(['parse', 'UTC', 'prototype']);

const FIX = 'take it from the context parameter: { now, newId }.';

export function checkPurity(sources: readonly Source[]): Problem[] {
  const pure = sources.filter((source) => !isTest(source) && PURE.some((folder) => source.path.startsWith(folder)));
  return pure.flatMap((source) => [...ambientUses(source), ...platformImports(source)]);
}

function platformImports(source: Source): Problem[] {
  return importsOf(source)
    .filter(({ from }) => from.startsWith('node:'))
    .map(({ from, at }) => ({ path: source.path, at, rule: `a pure package imports ${from}.`, fix: FIX }));
}

function ambientUses(source: Source): Problem[] {
  const problems: Problem[] = [];
  walk(source.code?.program, (node, above) => {
    const use = node.type === 'Identifier' ? ambientUse(node, above.at(-1)) : null;
    if (use !== null)
      problems.push({ path: source.path, at: node.start, rule: `a pure package uses ${use}.`, fix: FIX });
  });
  return problems;
}

/** The impure global of an identifier, or null. */
function ambientUse(node: SyntaxNode, parent: SyntaxNode | undefined): string | null {
  const name = node.name as string;
  if (parent === undefined || isOnlyAName(node, parent)) return null;
  if (AMBIENT.has(name)) return name;
  const property = parent.type === 'MemberExpression' ? ((parent.property as SyntaxNode).name as string) : '';
  if (name === 'Math') return property === '' || property === 'random' ? 'Math.random' : null;
  if (name !== 'Date' || parent.type === 'TSTypeReference' || PURE_DATE.has(property)) return null;
  if (parent.type === 'NewExpression') return (parent.arguments as unknown[]).length > 0 ? null : 'new Date()';
  return property === '' ? 'Date' : `Date.${property}`;
}

/** The name of a property is not a global: `step.process`, `{ process: 1 }`. */
function isOnlyAName(node: SyntaxNode, parent: SyntaxNode): boolean {
  if (parent.computed === true) return false;
  // `{ crypto }` has two nodes, a key and a value. The value refers to the global.
  return parent.property === node || parent.key === node;
}
