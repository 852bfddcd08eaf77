// How a raw connection may end. Rule: LIM4.

/**
 * Why this side ends a connection; `client` and `server` are honest ends, the others have a bound
 * or a broken rule behind them.
 */
export const ENDINGS = ['client', 'server', 'slow', 'crowded', 'late', 'unanswered', 'broken', 'refusals'] as const;
export type Ending = (typeof ENDINGS)[number];

/**
 * The code of an end that is nobody's wish, after the words of RFC 6455: 1008 breaks a rule, 1013
 * may try again.
 */
export const CLOSE_CODES: Record<Ending, number> = {
  ...{ client: 1000, server: 1000, slow: 1013, crowded: 1013, unanswered: 1013 },
  ...{ late: 1008, broken: 1008, refusals: 1008 },
};
