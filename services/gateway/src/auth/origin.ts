// Whether a web page may call. Browsers name the page's origin; other clients name none.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

const DEFAULT_PORT: Record<string, string> = { 'http:': '80', 'https:': '443' };
/** Longer than any origin or host: names have at most 253 characters. */
const LONGEST = 300;

export interface CookieSettings {
  /** Whether browsers send cookies over TLS only. */
  readonly isSecure: boolean;
  /** The origin at which people reach the service, if configured. */
  readonly publicOrigin?: string | undefined;
}

/** Which pages belong to the service, and which others may call. */
export interface OriginSettings {
  readonly allowedOrigins: readonly string[];
  readonly cookies: CookieSettings;
}

/**
 * Refuses pages that are neither the service's own nor listed. An empty header counts as missing.
 */
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

/**
 * Whether a text is an origin as browsers write it. `null`, the origin of sandboxed pages, and `*`
 * are none.
 */
export function isOrigin(text: string): boolean {
  const url = parse(text);
  return url !== null && Object.hasOwn(DEFAULT_PORT, url.protocol) && url.origin === text;
}

/**
 * The gateway does not know whether the client used TLS. If cookies require TLS, so do pages: a
 * page without it comes from an attacker on the network or from a foreign name for this host. The
 * local machine is exempt.
 */
function isSameHost(origin: string, host: string, isSecure: boolean): boolean {
  const page = parse(origin);
  if (page === null || host === '' || host.length > LONGEST) return false;
  if (page.protocol !== 'https:' && (page.protocol !== 'http:' || (isSecure && !isLoopback(host)))) return false;
  const wanted = host.toLowerCase();
  return wanted === page.host || wanted === `${page.hostname}:${page.port || DEFAULT_PORT[page.protocol]}`;
}

/** Whether a Host header names the local machine. */
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
