// Days and times in flags, in files for `apply` and in tools. Days have no time zone; times without
// an offset are on the clock of this computer. Rule: IO6.
import { type Calls, dueDateOf, momentOf, TimeFault } from '@taskgraph/client';
import { CliError } from '../failures.ts';

type Unit = NonNullable<Calls['graph:plan']['payload']['unit']>;

/** Parses the due date of a flag; null for `none`. */
export function dueFlag(text: string): string | null {
  return text === 'none' ? null : parseFlag(text, dueDateOf);
}

/** Parses an end time; a day ends in the time zone of this computer. Null for `none`. */
export function endFlag(text: string): string | null {
  return text === 'none' ? null : parseFlag(text, (each) => momentOf(each, 'end'));
}

/** Parses the start of a list; a day begins in the time zone of this computer. */
export function sinceFlag(text: string): string {
  return parseFlag(text, (each) => momentOf(each, 'start'));
}

/** The start of a plan. */
export interface PlanStart {
  readonly start: string;
  /** Whether the plan uses whole days, which are the same in every time zone. */
  readonly inDays: boolean;
}

/**
 * Parses the start of a plan. A plan in days or weeks that starts on a day uses days; any other
 * plan uses times.
 */
export function startFlag(text: string, unit: Unit): PlanStart {
  return parseFlag(text, (each) => startOf(each, unit));
}

function startOf(text: string, unit: Unit): PlanStart {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text.trim());
  if (!isDay || unit === 'minute' || unit === 'hour') return { start: momentOf(text, 'start'), inDays: false };
  return { start: dueDateOf(text).replace(/T.*/, 'T00:00:00.000Z'), inDays: true };
}

function parseFlag<T>(text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof TimeFault)) throw error;
    throw new CliError(
      'usage',
      `${JSON.stringify(text)} ${error.message}.`,
      'Write it as 2026-12-24, 2026-12-24T18:00 or 2026-12-24T18:00:00Z.',
    );
  }
}

/**
 * Converts the days and times of a payload to the format of the service. Values other than strings
 * stay unchanged; the service validates them. Throws a TimeFault that names the field.
 */
export function withTimes(event: string, payload: object): object {
  const fields: Record<string, unknown> = { ...payload };
  const replace = (name: string, read: (text: string) => string) => {
    const text = fields[name];
    if (typeof text !== 'string') return;
    try {
      fields[name] = read(text);
    } catch (error) {
      throw error instanceof TimeFault ? new TimeFault(`"${name}" ${error.message}`) : error;
    }
  };
  replace('dueDate', dueDateOf);
  replace('due', (text) => momentOf(text, 'end'));
  if (event === 'graph:plan') replace('start', (text) => startOf(text, fields.unit as Unit).start);
  if (event === 'batch:run' && Array.isArray(fields.operations))
    fields.operations = fields.operations.map(operationWithTimes);
  return fields;
}

function operationWithTimes(operation: unknown): unknown {
  if (typeof operation !== 'object' || operation === null) return operation;
  const { event, payload } = operation as { event?: unknown; payload?: unknown };
  if (typeof event !== 'string' || typeof payload !== 'object' || payload === null) return operation;
  return { ...operation, payload: withTimes(event, payload) };
}
