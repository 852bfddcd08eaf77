// The reasons for which a raw connection ends. Rule: LIM4.

/**
 * Why the gateway ends a connection. `client` and `server` are regular; the others mean a bound or
 * a broken rule.
 */
export const END_REASONS = ['client', 'server', 'slow', 'crowded', 'late', 'unanswered', 'broken', 'refusals'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Close codes of RFC 6455: 1008 for a broken rule, 1013 for "try again later". */
export const CLOSE_CODES: Record<EndReason, number> = {
  client: 1000,
  server: 1000,
  slow: 1013,
  crowded: 1013,
  unanswered: 1013,
  late: 1008,
  broken: 1008,
  refusals: 1008,
};
