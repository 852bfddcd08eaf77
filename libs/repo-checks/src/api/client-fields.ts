// Creates libs/client/src/node-fields.ts from the table of a node's fields, because the client
// package depends on none of our packages.
import { type Field, isPublic, isStored, namesWhere } from '@taskgraph/wire/field-table';
import { NODE_FIELDS, WRITABLE_NODE_FIELDS } from '@taskgraph/wire/node-fields';

const HEAD = `// The fields of a node that clients may write, and the values of a new node.
// Generated: \`npm run docs:generate\` writes it from libs/wire/src/node-fields.ts.`;

/** The module, as text. */
export function clientFields(): string {
  const writable = WRITABLE_NODE_FIELDS.map((name) => {
    const { kind, initial, write }: Field = NODE_FIELDS[name];
    const { about: _about, ...bounds } = write ?? {};
    return entry(name, `{ ${properties({ kind, initial, ...bounds })} }`);
  });
  const begun = (field: Field) => isStored(field) && isPublic(field) && field.initial !== undefined;
  const values = namesWhere(NODE_FIELDS, begun).map((name) =>
    entry(name, literal((NODE_FIELDS[name] as Field).initial)),
  );
  return `${[
    HEAD,
    `/** In the order in which files list them. Lengths count UTF-16 units; \`longest\` is that of an item. */`,
    `export const WRITABLE_FIELDS = {\n${writable.join('')}} as const;\n`,
    `/** The values that a new node has unless its maker gives others. */`,
    `export const NEW_NODE = {\n${values.join('')}} as const;`,
  ].join('\n')}\n`;
}

function entry(name: string, value: string): string {
  return `  ${name}: ${value},\n`;
}

function properties(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${literal(value)}`)
    .join(', ');
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  return typeof value === 'number' ? value.toLocaleString('en').replaceAll(',', '_') : JSON.stringify(value);
}
