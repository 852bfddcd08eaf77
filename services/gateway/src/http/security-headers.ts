// The security headers of every answer, which restrict what browsers do with it.

export interface GuardSettings {
  /** Seconds for which browsers must use HTTPS; 0 leaves the header out. */
  readonly hstsSeconds: number;
  /** Origins whose pages may read answers, besides those of the same host. */
  readonly allowedOrigins: readonly string[];
}

/**
 * The security headers of an answer to a page of this origin, or '' without a page. Answers are
 * data, not documents: browsers load, run and frame nothing of them, do not guess their type, cache
 * nothing and send no referrer.
 */
export function securityHeaders(
  origin: string,
  { hstsSeconds, allowedOrigins }: GuardSettings,
): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': allowedOrigins.includes(origin) ? 'cross-origin' : 'same-site',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(hstsSeconds > 0 ? { 'Strict-Transport-Security': `max-age=${hstsSeconds}` } : {}),
  };
}
