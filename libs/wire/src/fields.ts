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
  bodyBytes: 256 * 1024,
} as const;

/** Text without NUL and lone surrogates: Neo4j refuses the first, UTF-8 can't carry the second. */
export function text(maximum: number, minimum = 0) {
  return (
    z
      .string()
      .min(minimum)
      .max(maximum)
      // The schema's own maximum counts code points, of which one may be two UTF-16 units (GEN4).
      .refine((value) => value.length <= maximum, `must have at most ${maximum} UTF-16 units`)
      .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must not hold NUL or a lone surrogate')
  );
}

/** ISO 8601 writes an offset as +02:00, +0200 or +02; the check below knows the first. */
function withFullOffset(value: string): string {
  return value.replace(/(T.*[+-]\d\d)(?::?(\d\d))?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);
}

/** Any ISO 8601 timestamp with an offset, normalised to UTC with milliseconds (GEN2). */
export const timestamp = z
  .string()
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
  title: text(BOUNDS.title).optional(),
  description: text(BOUNDS.description).optional(),
  status: nodeStatus.optional(),
  dueDate: timestamp.nullable().optional(),
  tags: z.array(text(BOUNDS.tagLength)).max(BOUNDS.tags).optional(),
  priority: z.int().min(0).max(BOUNDS.priority).optional(),
  independent: z.boolean().optional(),
  volume: z.int().min(0).max(BOUNDS.volume).optional(),
  assignee: z.array(text(BOUNDS.assigneeLength)).max(BOUNDS.assignees).optional(),
  pinned: z.boolean().optional(),
  collapsed: z.boolean().optional(),
  x: z.number().optional(),
  y: z.number().optional(),
  z: z.number().optional(),
} as const;
