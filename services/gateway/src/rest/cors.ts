// The CORS headers, which allow pages of other origins to use the service. Rule: AUTH1.

/** The headers that pages of other origins may read. */
const EXPOSED = [
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Sunset',
  'Taskgraph-User',
];

/** The headers that let pages of an allowed origin read answers. */
export function originHeaders(origin: string): Record<string, string> {
  if (origin === '') return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': EXPOSED.join(', '),
  };
}

/** The request headers on which an answer depends. */
export function varyHeader(of: { readonly origin: string; readonly isCompressible: boolean }): Record<string, string> {
  const names = [...(of.origin === '' ? [] : ['Origin']), ...(of.isCompressible ? ['Accept-Encoding'] : [])];
  return names.length === 0 ? {} : { Vary: names.join(', ') };
}

/** The headers of the answer to a preflight request. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  const allowed = methods.join(', ');
  return {
    Allow: allowed,
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Idempotency-Key, If-None-Match, Mcp-Protocol-Version, Traceparent',
    'Access-Control-Max-Age': '600',
  };
}
