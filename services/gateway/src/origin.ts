// Whether a web page may call: browsers name the page's origin, other clients name none.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

const DEFAULT_PORT: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** Refuses pages of other hosts that are not listed. Whether TLS was used is not known here, so only host and port are compared. */
export function refuseOrigin(
  origin: string | undefined,
  host: string | undefined,
  allowed: readonly string[],
): Refusal | null {
  if (origin === undefined || origin === '' || allowed.includes(origin) || isSameHost(origin, host ?? '')) return null;
  return refuse('forbidden.origin', 'Web pages of this origin may not call this service.');
}

/** Whether a text is what a browser writes for pages of one scheme, host and port. `null`, which any sandboxed page is, and `*` are none. */
export function isOrigin(text: string): boolean {
  const url = parse(text);
  return url !== null && Object.hasOwn(DEFAULT_PORT, url.protocol) && url.origin === text;
}

function isSameHost(origin: string, host: string): boolean {
  const page = parse(origin);
  if (page === null || host === '') return false;
  const wanted = host.toLowerCase();
  return wanted === page.host || wanted === `${page.hostname}:${page.port || DEFAULT_PORT[page.protocol]}`;
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
