// Makes the client's own copy of the functions that plan a graph: its package depends on nothing of ours, and replicas still plan by the very
// function that answers graph:plan. Rule: PLAN7.
import { readFileSync } from 'node:fs';
import { PLAN_UNITS, Status } from '@taskgraph/wire/codes';

/** The modules that are copied, without their endings. */
export const PLANNING = ['plan', 'schedule'] as const;

const NOTE =
  '// Generated: `npm run docs:generate` copies it from libs/domain/src/plan, which says what is to be said of it.';
const CODES_IMPORT = "import { type PlanUnit, Status } from '@taskgraph/wire/codes';\n";

/** A module of the client, as text. Throws where the original imports something else of ours. */
export function clientPlan(name: (typeof PLANNING)[number]): string {
  const original = readFileSync(new URL(`../../../../domain/src/plan/${name}.ts`, import.meta.url), 'utf8');
  const [head = '', ...body] = original.replace(CODES_IMPORT, '').split('\n');
  const copy = [head, NOTE, ...body].join('\n');
  const text = original.includes(CODES_IMPORT) ? withCodes(copy) : copy;
  if (text.includes('@taskgraph/')) throw new Error(`libs/domain/src/plan/${name}.ts imports what the client has not`);
  return text;
}

/** Puts the codes after the imports: importing them from wire-types would need values there. */
function withCodes(text: string): string {
  const at = text.indexOf('\n\n', text.indexOf('\nimport ')) + 1;
  const statuses = Object.entries(Status).map(([name, code]) => `${name}: ${code}`);
  const units = PLAN_UNITS.map((unit) => `'${unit}'`);
  const codes = [
    `const Status = { ${statuses.join(', ')} } as const;`,
    'type Status = (typeof Status)[keyof typeof Status];',
    `type PlanUnit = ${units.join(' | ')};`,
  ];
  return `${text.slice(0, at)}\n${codes.join('\n')}\n${text.slice(at)}`;
}
