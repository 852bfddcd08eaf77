// Field schemas shared by all payloads, with their bounds (NODE2, GEN2, GEN4).
import { z } from 'zod';
import type { Field, ShownValue } from './field-table.ts';
import { NODE_FIELDS, type NodeFields, WRITABLE_NODE_FIELDS, type WritableNodeField } from './node-fields.ts';
import { LONGEST_TIME, normalizeDue, normalizeFirst, normalizeLast, normalizeTime } from './timestamps.ts';

/** Bounds outside the fields of entities. Lengths count UTF-16 units. */
export const BOUNDS = {
  idempotencyKey: 255,
  timestamp: LONGEST_TIME,
  bodyBytes: 256 * 1024,
} as const;

/**
 * Text without NUL and lone surrogates: Neo4j refuses NUL, and UTF-8 cannot encode lone surrogates.
 * The length check comes first and aborts, because zod runs the later checks even after a failure.
 */
export function text(maximum: number, minimum = 0) {
  return (
    z
      .string()
      // Zod's own maximum counts code points, and one of them may be two UTF-16 units (GEN4).
      .refine((value) => value.length <= maximum, { error: `must have at most ${maximum} UTF-16 units`, abort: true })
      .min(minimum)
      .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must not hold NUL or a lone surrogate')
      // For documents. The first check enforces it.
      .meta({ maxLength: maximum })
  );
}

/** A list with a maximum length. The length is checked before any item. */
export function list<T extends z.ZodType>(item: T, maximum: number) {
  const counted = z.transform((value: z.input<T>[], context) => {
    if (!Array.isArray(value) || value.length <= maximum) return value;
    context.addIssue({ code: 'custom', message: `must be a list of at most ${maximum}` });
    return z.NEVER;
  });
  return counted.pipe(z.array(item)).meta({ maxItems: maximum });
}

const TIME_OR_DAY = 'must be a time such as 2026-12-24T18:00:00Z, or a day such as 2026-12-24';

/** A time with an offset, normalised to UTC with milliseconds (GEN2). */
export const timestamp = time(normalizeTime, 'must be a time such as 2026-12-24T18:00:00Z');

/** The same, or a day, which means its last second in UTC (GEN2). */
export const dueTime = time(normalizeDue, TIME_OR_DAY);

/** The bounds of a range of times. A day means its first or its last millisecond in UTC. */
export const firstMoment = time(normalizeFirst, TIME_OR_DAY);
export const lastMoment = time(normalizeLast, TIME_OR_DAY);

function time(normalize: (text: string) => string | null, message: string) {
  return text(BOUNDS.timestamp)
    .meta({ format: 'date-time' })
    .transform((value, context) => {
      const normalized = normalize(value);
      if (normalized !== null) return normalized;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });
}

export const version = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
export const nodeStatus = z.int().min(0).max(3);
export const linkType = z.int().min(0).max(1);
export const idempotencyKey = text(BOUNDS.idempotencyKey, 1);

type Writable = {
  readonly [Name in WritableNodeField]: z.ZodOptional<
    z.ZodType<ShownValue<NodeFields[Name]>, ShownValue<NodeFields[Name]>>
  >;
};

/** The fields of a node that its editors may write, all optional (NODE1, NODE2). */
export const writableNodeFields = Object.fromEntries(
  WRITABLE_NODE_FIELDS.map((name) => [name, writeSchema(NODE_FIELDS[name])]),
) as unknown as Writable;

function writeSchema({ kind, orNull, about = '', write = {} }: Field): z.ZodType {
  const schema = boundedSchema(kind, write);
  return (orNull === true ? schema.nullable() : schema).optional().describe(write.about ?? about);
}

function boundedSchema(kind: Field['kind'], { most = 0, longest = 0 }: NonNullable<Field['write']>): z.ZodType {
  switch (kind) {
    case 'text':
      return text(most);
    case 'texts':
      return list(text(longest), most);
    case 'integer':
      return z.int().min(0).max(most);
    case 'number':
      return z.number();
    case 'flag':
      return z.boolean();
    case 'time':
      return dueTime;
    case 'status':
      return nodeStatus.meta({ enum: [0, 1, 3] });
    default:
      throw new Error(`clients can't write a field of the kind ${kind}`);
  }
}
