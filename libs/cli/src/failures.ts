// Failures for people and scripts: message, remedy and exit code.
import { TaskgraphError } from '@taskgraph/client';
import { onOneLine } from '@taskgraph/client/transfer';
import { REMEDIES } from './catalog.ts';
import type { Paint } from './output/paint.ts';

/** Exit codes, as listed in the help. */
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

/** A failure that the command line itself detects. */
export class CliError extends Error {
  readonly kind: keyof typeof EXIT;
  /** The remedy, one entry per line. */
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

/** Remedies that replace the service's own, which address programs or are missing. */
const OWN_REMEDIES: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [/^unauthorized/, 'Sign in: taskgraph login'],
  [
    /^client\.(timeout|disconnected)/,
    'Check that the service is running and its address is correct: taskgraph profiles',
  ],
  [/^rate_limited/, 'Try again after that time.'],
];

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return EXIT[error.kind];
  if (!(error instanceof TaskgraphError)) return EXIT.failed;
  const found = BY_CODE.find(([pattern]) => pattern.test(error.code));
  return EXIT[found?.[1] ?? 'failed'];
}

/** `error:` with the message, then the remedy. Titles in either cannot begin a line. */
export function describeFailure(error: unknown, { red }: Pick<Paint, 'red'>): string {
  const remedy = error instanceof CliError ? error.remedy : [remedyOf(error) ?? []].flat();
  return [`${red('error:')} ${onOneLine(messageOf(error))}`, ...remedy.map(onOneLine)].join('\n  ');
}

/** The remedy for an error of the service. */
export function remedyOf(error: unknown): string | undefined {
  return error instanceof TaskgraphError ? remedyFor(error.code) : undefined;
}

/** The remedy for a code of the service. */
export function remedyFor(code: string): string | undefined {
  const own = OWN_REMEDIES.find(([pattern]) => pattern.test(code))?.[1];
  const listed = REMEDIES[code] ?? REMEDIES[`${code.slice(0, code.lastIndexOf('_'))}_<field>`];
  return own ?? listed;
}

function messageOf(error: unknown): string {
  if (error instanceof TaskgraphError) return `${error.message.slice(error.code.length + 2)} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}
