// Creates the tables of fields in docs/interface.md from those of nodes and links in libs/wire.
import { type Field, type FieldTable, isPublic, namesWhere } from '@taskgraph/wire/field-table';
import { LINK_FIELDS } from '@taskgraph/wire/link-fields';
import { NODE_FIELDS, WRITABLE_NODE_FIELDS } from '@taskgraph/wire/node-fields';

/** A document with the current table between its marks. Throws if a table has no marks. */
export function withFieldTables(document: string): string {
  const tables = {
    'node fields': shownTable(NODE_FIELDS),
    'link fields': shownTable(LINK_FIELDS),
    'writable fields': writableTable(),
  };
  let text = document;
  for (const [name, table] of Object.entries(tables)) {
    const [start, end] = [`<!-- ${name}: \`npm run docs:generate\` writes them -->\n`, '<!-- end -->\n'];
    const from = text.indexOf(start);
    const to = text.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`the document has no marks for the ${name}`);
    text = `${text.slice(0, from + start.length)}${table}${text.slice(to)}`;
  }
  return text;
}

const KINDS: Readonly<Record<Field['kind'], string>> = {
  id: 'id',
  text: 'text',
  texts: 'list of texts',
  time: 'time',
  integer: 'integer',
  number: 'number',
  flag: 'boolean',
  version: 'integer',
  status: 'integer',
  linkType: 'integer',
  ids: 'list of ids',
  level: 'integer',
};

function kindOf({ kind, orNull }: Field): string {
  return orNull === true ? `${KINDS[kind]} or null` : KINDS[kind];
}

function shownTable(table: FieldTable): string {
  const rows = namesWhere(table, isPublic).map((name) => {
    const field = table[name] as Field;
    return row([`\`${name}\``, kindOf(field), field.about ?? '']);
  });
  return rowsUnder(['Field', 'Type', 'Meaning'], rows);
}

function writableTable(): string {
  const rows = WRITABLE_NODE_FIELDS.map((name) => {
    const field: Field = NODE_FIELDS[name];
    const kind = field.kind === 'status' ? '0, 1 or 3' : kindOf(field);
    return row([`\`${name}\``, kind, boundOf(field)]);
  });
  return rowsUnder(['Field', 'Type', 'Limit'], rows);
}

function boundOf({ kind, write }: Field): string {
  const [most, longest] = [write?.most, write?.longest].map((bound) => bound?.toLocaleString('en'));
  if (kind === 'number') return 'finite';
  if (most === undefined) return '';
  if (kind === 'integer') return `0 to ${most}`;
  return longest === undefined ? `${most} UTF-16 units` : `${most} of ${longest} each`;
}

function rowsUnder(head: readonly string[], rows: readonly string[]): string {
  return [row(head), `|${'---|'.repeat(head.length)}\n`, ...rows].join('');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`.replaceAll('|  |', '| |');
}
