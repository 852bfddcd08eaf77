// The headers by which every answer tells browsers what not to do with it.

/** How answers are guarded. */
export interface GuardSettings {
  /** Seconds for which browsers shall come back over HTTPS alone; 0 says nothing of it. */
  readonly hstsSeconds: number;
  /** Origins whose pages may read answers besides those of the same host. */
  readonly allowedOrigins: readonly string[];
}

/**
 * The headers that guard an answer to a page of this origin; '' where no page asks. Answers are data, never documents: nothing of them is
 * loaded, run, framed or taken for another type, no cache keeps them, and an address does not travel on to where they lead.
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
