// Failures for people and for scripts: the sentence, the remedy, and the exit code.
import { TaskgraphError } from '@taskgraph/client';
import { onOneLine } from '@taskgraph/client/transfer';
import { REMEDIES } from './catalog.ts';
import type { Paint } from './output/paint.ts';

/** Exit codes, as the help names them. */
export const EXIT = {
  failed: 1,
  usage: 2,
  signedOut: 3,
  notFound: 4,
  forbidden: 5,
  conflict: 6,
  unreachable: 7,
  limited: 8,
} as const;

/** A failure that the command line finds by itself. */
export class CliError extends Error {
  readonly kind: keyof typeof EXIT;
  /** In lines. */
  readonly remedy: readonly string[];

  constructor(kind: keyof typeof EXIT, message: string, ...remedy: readonly string[]) {
    super(message);
    this.kind = kind;
    this.remedy = remedy;
  }
}

const BY_CODE: readonly (readonly [pattern: RegExp, kind: keyof typeof EXIT])[] = [
  [/^unauthorized/, 'signedOut'],
  [/^(forbidden|no_permission)/, 'forbidden'],
  [/^not_found/, 'notFound'],
  [/^(conflict|version_conflict|not_trashed|invalid_due)/, 'conflict'],
  [/^(unavailable|client\.(timeout|disconnected|closed|outcome_unknown))/, 'unreachable'],
  [/^rate_limited/, 'limited'],
  [/^bad_request/, 'usage'],
];

/** Remedies where the service's table speaks to programs, or says nothing. */
const OWN_REMEDIES: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [/^unauthorized/, 'Sign in: taskgraph login'],
  [/^client\.(timeout|disconnected)/, 'See that the service runs and that its address is right: taskgraph profiles'],
  [/^rate_limited/, 'Try again when that time is over.'],
];

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return EXIT[error.kind];
  if (!(error instanceof TaskgraphError)) return EXIT.failed;
  const found = BY_CODE.find(([pattern]) => pattern.test(error.code));
  return EXIT[found?.[1] ?? 'failed'];
}

/** `error:` and the sentence, and below it the remedy. Titles in them begin no line. */
export function describeFailure(error: unknown, { red }: Pick<Paint, 'red'>): string {
  const remedy = error instanceof CliError ? error.remedy : [remedyOf(error) ?? []].flat();
  return [`${red('error:')} ${onOneLine(messageOf(error))}`, ...remedy.map(onOneLine)].join('\n  ');
}

/** The way out of a refusal of the service. */
export function remedyOf(error: unknown): string | undefined {
  if (!(error instanceof TaskgraphError)) return undefined;
  const { code } = error;
  const own = OWN_REMEDIES.find(([pattern]) => pattern.test(code))?.[1];
  const listed = REMEDIES[code] ?? REMEDIES[`${code.slice(0, code.lastIndexOf('_'))}_<field>`];
  return own ?? listed;
}

function messageOf(error: unknown): string {
  if (error instanceof TaskgraphError) return `${error.message.slice(error.code.length + 2)} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}
