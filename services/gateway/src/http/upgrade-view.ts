// A copy of an upgrade request with the token moved from the subprotocols to the Authorization
// header (AUTH3).

/**
 * The used parts of an upgrade request. The original is invalid after the handler returns; the copy
 * is not.
 */
export interface UpgradeRequest {
  getMethod(): string;
  getUrl(): string;
  getQuery(): string;
  getHeader(lowerCaseName: string): string;
  forEach(visit: (name: string, value: string) => void): void;
}

/**
 * Copies a request. Of `Sec-WebSocket-Protocol: Bearer, TOKEN` it keeps `Bearer` alone, the only
 * text to echo.
 */
export function upgradeView(request: UpgradeRequest): UpgradeRequest {
  const headers = new Map<string, string>();
  request.forEach((name, value) => {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  });
  const [scheme, token] = (headers.get('sec-websocket-protocol') ?? '').split(',', 2).map((part) => part.trim());
  headers.delete('sec-websocket-protocol');
  if (scheme?.toLowerCase() === 'bearer') {
    headers.set('sec-websocket-protocol', scheme);
    if (token && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
  }
  const [method, url, query] = [request.getMethod(), request.getUrl(), request.getQuery() ?? ''];
  return {
    getMethod: () => method,
    getUrl: () => url,
    getQuery: () => query,
    getHeader: (name) => headers.get(name) ?? '',
    forEach: (visit) => {
      for (const [name, value] of headers) visit(name, value);
    },
  };
}
