// Whether a web page may call: browsers name the page's origin, other clients name none.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

const DEFAULT_PORT: Record<string, string> = { 'http:': '80', 'https:': '443' };
/** No origin and no host is longer: names have at most 253 characters. */
const LONGEST = 300;

/** How cookies are set. */
export interface CookieSettings {
  /** Whether browsers send it over TLS alone. */
  readonly isSecure: boolean;
  /** The origin at which people reach the service, where that is configured. */
  readonly publicOrigin?: string | undefined;
}

/** Which pages are ours, and which others may call. */
export interface OriginSettings {
  readonly allowedOrigins: readonly string[];
  readonly cookies: CookieSettings;
}

/** Refuses pages that are neither ours nor listed. Empty headers count as missing. */
export function refuseOrigin(
  origin: string | undefined,
  host: string | undefined,
  { allowedOrigins, cookies }: OriginSettings,
): Refusal | null {
  if (origin === undefined || origin === '' || allowedOrigins.includes(origin)) return null;
  const { publicOrigin, isSecure } = cookies;
  const isOurs = publicOrigin == null ? isSameHost(origin, host ?? '', isSecure) : origin === publicOrigin;
  return isOurs ? null : refuse('forbidden.origin', 'Web pages of this origin may not call this service.');
}

/** Whether a text is what a browser writes for pages of one scheme, host and port. `null`, which any sandboxed page is, and `*` are none. */
export function isOrigin(text: string): boolean {
  const url = parse(text);
  return url !== null && Object.hasOwn(DEFAULT_PORT, url.protocol) && url.origin === text;
}

/**
 * Nobody tells whether TLS was used on the way. Where cookies go over TLS alone, pages come by it too: one without it was put there by
 * somebody on the line, or by a name that leads here, except on this machine itself.
 */
function isSameHost(origin: string, host: string, isSecure: boolean): boolean {
  const page = parse(origin);
  if (page === null || host === '' || host.length > LONGEST) return false;
  if (page.protocol !== 'https:' && (page.protocol !== 'http:' || (isSecure && !isLoopback(host)))) return false;
  const wanted = host.toLowerCase();
  return wanted === page.host || wanted === `${page.hostname}:${page.port || DEFAULT_PORT[page.protocol]}`;
}

/** Whether a Host header names the machine that it was sent from. */
export function isLoopback(host: string): boolean {
  const name = parse(`http://${host}`)?.hostname ?? '';
  return name === 'localhost' || name === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

function parse(text: string): URL | null {
  if (text.length > LONGEST) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
