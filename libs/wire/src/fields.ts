// Field schemas shared by all payloads, with their bounds (NODE2, GEN2, GEN4).
import { z } from 'zod';

/** Bounds of single fields; lengths count UTF-16 units. */
export const BOUNDS = {
  title: 500,
  description: 20_000,
  tags: 64,
  tagLength: 100,
  assignees: 64,
  assigneeLength: 255,
  priority: 1_000_000,
  volume: 1_000_000,
  idempotencyKey: 255,
  timestamp: 100,
  bodyBytes: 256 * 1024,
} as const;

/**
 * Text without NUL and lone surrogates: Neo4j refuses the first, UTF-8 can't carry the second. A text that is too long is refused before
 * anything else looks at it: a schema goes on after a check that fails, unless that aborts.
 */
export function text(maximum: number, minimum = 0) {
  return (
    z
      .string()
      // The schema's own maximum counts code points, of which one may be two UTF-16 units (GEN4).
      .refine((value) => value.length <= maximum, { error: `must have at most ${maximum} UTF-16 units`, abort: true })
      .min(minimum)
      .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must not hold NUL or a lone surrogate')
      // For documents; the check is the first.
      .meta({ maxLength: maximum })
  );
}

/** A list of so many at most. They are counted before the first of them is looked at. */
export function list<T extends z.ZodType>(item: T, maximum: number) {
  const counted = z.transform((value: z.input<T>[], context) => {
    if (!Array.isArray(value) || value.length <= maximum) return value;
    context.addIssue({ code: 'custom', message: `must be a list of at most ${maximum}` });
    return z.NEVER;
  });
  return counted.pipe(z.array(item)).meta({ maxItems: maximum });
}

/** ISO 8601 writes an offset as +02:00, +0200 or +02; the check below knows the first. */
function withFullOffset(value: string): string {
  return value.replace(/([+-]\d\d)(?::?(\d\d))?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);
}

/** Any ISO 8601 timestamp with an offset, normalised to UTC with milliseconds (GEN2). */
export const timestamp = text(BOUNDS.timestamp)
  .meta({ format: 'date-time' })
  .transform(withFullOffset)
  .pipe(z.iso.datetime({ offset: true }))
  .transform((value, context) => {
    const time = new Date(value);
    if (Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999 || time.getUTCFullYear() < 0) {
      context.addIssue({ code: 'custom', message: 'is not a date that exists' });
      return z.NEVER;
    }
    return time.toISOString();
  });

export const version = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
export const nodeStatus = z.int().min(0).max(3);
export const linkType = z.int().min(0).max(1);
export const idempotencyKey = text(BOUNDS.idempotencyKey, 1);

/** The fields of a node that its editors may write, all optional (NODE1, NODE2). */
export const writableNodeFields = {
  title: text(BOUNDS.title).optional().describe('The work to do, in a line.'),
  description: text(BOUNDS.description).optional().describe('All else about it.'),
  status: nodeStatus
    .meta({ not: { const: 2 } })
    .optional()
    .describe('0 Available, 1 InProgress or 3 Completed. Nobody sets 2, Blocked, by hand.'),
  dueDate: timestamp
    .nullable()
    .optional()
    .describe('Null clears it. The last second of a day in UTC, such as 2026-12-24T23:59:59Z, stands for that day.'),
  tags: list(text(BOUNDS.tagLength), BOUNDS.tags).optional().describe('Words to find it by.'),
  priority: z.int().min(0).max(BOUNDS.priority).optional().describe('How urgent it is, by the order of its users.'),
  independent: z.boolean().optional().describe('Whether links do not block it.'),
  volume: z.int().min(0).max(BOUNDS.volume).optional().describe('How much work it is, in the unit of its users.'),
  assignee: list(text(BOUNDS.assigneeLength), BOUNDS.assignees)
    .optional()
    .describe('The people who do it, as users name them.'),
  pinned: z.boolean().optional().describe('For clients that draw: whether it stays where it is.'),
  collapsed: z.boolean().optional().describe('For clients that draw: whether what is below it is folded away.'),
  x: z.number().optional().describe('A position, for clients that draw.'),
  y: z.number().optional().describe('A position, for clients that draw.'),
  z: z.number().optional().describe('A position, for clients that draw.'),
} as const;
