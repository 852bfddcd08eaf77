// The format of an export: one JSON text on each line, with checksums over its content.
//
// The header line comes first, then one line for each record, one for each user with the checksum
// of their graph, and last the sums of all tables. A checksum is the exclusive or of the SHA-256 of
// its lines, so it does not depend on their order.

import { createHash } from 'node:crypto';
import type { StoredRecord } from '@taskgraph/graph-store/transfer/export';
import { NODE_TABLES, RELATIONSHIP_TABLES, type TableName } from '@taskgraph/graph-store/transfer/export-statements';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { z } from 'zod';

export const FORMAT = 1;

const DIGEST_BYTES = 32;

const TABLES = [...NODE_TABLES, ...RELATIONSHIP_TABLES].map(({ name }) => name);

const scalar = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const digest = z.string().regex(/^[0-9a-f]{64}$/);

const header = z.strictObject({ taskgraph: z.literal(FORMAT), migrations: z.array(z.int()), time: z.string() });
const record = z.strictObject({
  table: z.enum(TABLES as [TableName, ...TableName[]]),
  owner: z.string().nullable(),
  ends: z.strictObject({ source: z.string(), target: z.string() }).optional(),
  floats: z.array(z.string()),
  properties: z.record(z.string(), scalar),
});
const user = z.strictObject({ user: z.string(), digest });
const tables = z.strictObject({
  tables: z.partialRecord(z.enum(TABLES as [TableName, ...TableName[]]), z.strictObject({ count: z.int(), digest })),
});

export type Header = z.infer<typeof header>;
export type Sums = z.infer<typeof tables>['tables'];
export type RecordLine = z.infer<typeof record>;
type ExportLine = Header | RecordLine | z.infer<typeof user> | z.infer<typeof tables>;

/** A record's line without its line break. Equal records give equal lines. */
export function lineOf({ table, owner, ends, floats, properties }: StoredRecord): string {
  const names = Object.keys(properties).sort();
  const sorted = Object.fromEntries(names.map((name) => [name, properties[name]]));
  return JSON.stringify({ table, owner, ...definedFields({ ends }), floats, properties: sorted });
}

/** The record of a line. Throws if the line is invalid or truncated. */
export function readLine(line: string): ExportLine {
  const result = z.union([record, user, header, tables]).safeParse(parse(line));
  if (!result.success) throw new Error(`the file is damaged, or of another release: ${line.slice(0, 100)}`);
  return result.data;
}

export function isRecord(line: ExportLine): line is RecordLine {
  return 'table' in line;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export interface Digests {
  add(record: StoredRecord, line: string): void;
  /** The checksum of each user's graph: nodes with links, grants and memberships, and the feeds. */
  users(): Map<string, string>;
  /** Number and checksum of each table's records. */
  tables(): Sums;
}

/** Accumulates lines in about 100 bytes for each user. */
export function createDigests(): Digests {
  const users = new Map<string, Buffer>();
  const sums = new Map<TableName, { count: number; sum: Buffer }>();
  return {
    add({ table, owner }, line) {
      const hash = createHash('sha256').update(line).digest();
      const of = sums.get(table) ?? { count: 0, sum: Buffer.alloc(DIGEST_BYTES) };
      of.count += 1;
      mix(of.sum, hash);
      sums.set(table, of);
      if (owner === null) return;
      const sum = users.get(owner) ?? Buffer.alloc(DIGEST_BYTES);
      mix(sum, hash);
      users.set(owner, sum);
    },
    users() {
      const texts = [...users].map(([id, sum]): [string, string] => [id, sum.toString('hex')]);
      return new Map(texts.sort(([one], [other]) => (one < other ? -1 : 1)));
    },
    tables() {
      const texts = [...sums].map(([name, { count, sum }]) => [name, { count, digest: sum.toString('hex') }]);
      return Object.fromEntries(texts) as Sums;
    },
  };
}

function mix(sum: Buffer, hash: Buffer): void {
  for (let index = 0; index < DIGEST_BYTES; index++) sum[index] = (sum[index] as number) ^ (hash[index] as number);
}

/** Describes the differences between two sums; empty if they are equal. */
export function differences(wanted: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): string[] {
  const ids = [...new Set([...wanted.keys(), ...found.keys()])];
  return ids.filter((id) => wanted.get(id) !== found.get(id));
}

/** The sums of tables in comparable form. */
export function comparable(sums: Sums): Map<string, string> {
  return new Map(Object.entries(sums).map(([name, { count, digest: sum }]) => [name, `${count} ${sum}`]));
}
