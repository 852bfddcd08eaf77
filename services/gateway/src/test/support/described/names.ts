// Replaces the real values of a run by the names of examples (libs/wire/src/operations/examples.ts)
// and back, so that the written examples are equal after each run.
import { EXAMPLE } from '@taskgraph/wire/operations/examples';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const DAY_MS = 24 * 3_600_000;
/** The day of all examples. */
const THAT_DAY = Date.UTC(2026, 0, 5, 8);

/** Texts that no run makes twice, by the name of their field. */
const TEXTS: Readonly<Record<string, string>> = {
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  position: EXAMPLE.position,
  publicToken: EXAMPLE.publicToken,
  PublicToken: EXAMPLE.publicToken,
  session: 'tgs_2Jw7cQmZ0aXnB4vKf9Lr8TyHsUe1PdGo5iRk3WxYb6M',
  plaintext: 'tg_9Lr8TyHsUe1PdGo5iRk3WxYb6M2Jw7cQmZ0aXnB4vKf',
  prefix: 'tg_9Lr8',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwK3bJ7cQmZ0aX=',
  url: 'https://tasks.example.com/calendar/cal_2Jw7cQmZ0aXnB4vKf9Lr8TyHsUe1PdGo5iRk.ics',
};

/** Whether the text of such a field comes from the example: the address of a webhook. */
function isGiven(field: string, text: string): boolean {
  return field === 'url' && text === EXAMPLE.hookUrl;
}

/** Real texts by the names of examples. */
export type Names = Map<string, string>;

/** A payload with this run's values for its names. */
export function withReal(payload: Readonly<Record<string, unknown>>, names: Names): Record<string, unknown> {
  return rewrite(payload, (text) => {
    let real = text;
    for (const [name, value] of names) real = real.replaceAll(name, value);
    return real;
  }) as Record<string, unknown>;
}

/**
 * An answer with names in the place of what this run has. Ids that have no name get one by the
 * order in which they come.
 */
export function withNames(answer: unknown, names: Names): Record<string, unknown> {
  const known = new Map([...names].map(([name, real]) => [real, name]));
  let unknown = 0;
  const nameOf = (id: string) => {
    if (!known.has(id)) known.set(id, `01985f13-8260-7a11-9b9f-${String(++unknown).padStart(12, '0')}`);
    return known.get(id) as string;
  };
  return rewrite(answer, (text, field) => {
    const madeOnce = field === null || isGiven(field, text) ? undefined : TEXTS[field];
    if (madeOnce !== undefined) return madeOnce;
    if (TIME.test(text)) return namedTime(text);
    let named = text;
    for (const [real, name] of known) named = named.replaceAll(real, name);
    return named.replaceAll(UUID, nameOf);
  }) as Record<string, unknown>;
}

/**
 * Times of this run fall on the day of the examples, and those a fortnight ahead on one as far from
 * it; others stay.
 */
function namedTime(text: string): string {
  const days = Math.round((Date.parse(text) - Date.now()) / DAY_MS);
  return Math.abs(days) > 100 ? text : new Date(THAT_DAY + days * DAY_MS).toISOString();
}

function rewrite(
  value: unknown,
  change: (text: string, field: string | null) => string,
  field: string | null = null,
): unknown {
  if (typeof value === 'string') return change(value, field);
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name, null), rewrite(inner, change, name)]),
  );
}
