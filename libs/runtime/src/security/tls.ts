// TLS for the connections to the backends.
//
// The URL scheme alone decides TLS (`tls://`, `rediss://`, `bolt+s://`), and then TLS is required.
// Certificate files for a URL without it stop the start, so that no operator mistakes a plain
// connection for an encrypted one.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

export type Backend = 'NEO4J' | 'NATS' | 'REDIS';

/**
 * TLS options in the form of Node's `tls`, as PEM texts. Without `ca` the platform's authorities
 * count.
 */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name in the certificate, if it differs from the host. */
  readonly servername?: string;
}

/** The paths of the files, for clients that read them. */
export interface TlsFiles {
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** The TLS settings of a backend's connection, all optional. */
export function tlsSettings<B extends Backend>(backend: B, title: string) {
  const file = z.string().min(1).optional();
  return {
    [`${backend}_CA_FILE`]: {
      schema: file,
      description: `PEM file with the certificate authorities that may have signed the certificate of ${title}, whose URL must then use TLS; by default those that Node trusts.`,
    },
    [`${backend}_CERTIFICATE_FILE`]: {
      schema: file,
      description: `PEM file with this service's certificate, if ${title} asks for one.`,
    },
    [`${backend}_KEY_FILE`]: { schema: file, description: 'PEM file with the key of that certificate.' },
  } as Record<`${B}_${'CA' | 'CERTIFICATE' | 'KEY'}_FILE`, { schema: typeof file; description: string }>;
}

type Config = Readonly<Record<string, unknown>>;

/** Whether the scheme of all comma-separated URLs encrypts. Throws if they differ. */
export function isEncrypted(backend: Backend, config: Config): boolean {
  const schemes = textOf(config, backend, 'URL')
    .split(',')
    .map((address) => /^\s*([\w+]+):/.exec(address)?.[1] ?? '');
  const encrypted = schemes.filter((scheme) => ENCRYPTED.has(scheme)).length;
  if (encrypted > 0 && encrypted < schemes.length) {
    throw new Error(`The configuration is wrong.\n- ${backend}_URL has addresses with TLS and without.`);
  }
  return encrypted > 0;
}

/**
 * The certificate files of a backend's connection; undefined without TLS. Throws an Error that
 * names the conflicting settings.
 */
export function tlsFilesOf(backend: Backend, config: Config): TlsFiles | undefined {
  const [ca, certificate, key] = (['CA_FILE', 'CERTIFICATE_FILE', 'KEY_FILE'] as const).map((name) =>
    textOf(config, backend, name),
  );
  if (!isEncrypted(backend, config)) {
    if (`${ca}${certificate}${key}${textOf(config, backend, 'SERVER_NAME')}` === '') return undefined;
    throw new Error(
      `The configuration is wrong.\n- ${backend}_URL has no TLS, but ${backend}_CA_FILE or another of its settings is set. ${HINTS[backend]}`,
    );
  }
  if ((certificate === '') !== (key === '')) {
    throw new Error(
      `The configuration is wrong.\n- ${backend}_CERTIFICATE_FILE and ${backend}_KEY_FILE need each other.`,
    );
  }
  return { ...(ca ? { ca } : {}), ...(certificate ? { certificate } : {}), ...(key ? { key } : {}) };
}

/** Like `tlsFilesOf`, with the files' content. */
export function tlsOptionsOf(backend: Backend, config: Config): TlsOptions | undefined {
  const files = tlsFilesOf(backend, config);
  if (files === undefined) return undefined;
  const servername = textOf(config, backend, 'SERVER_NAME');
  return {
    ...(files.ca ? { ca: read(`${backend}_CA_FILE`, files.ca) } : {}),
    ...(files.certificate ? { cert: read(`${backend}_CERTIFICATE_FILE`, files.certificate) } : {}),
    ...(files.key ? { key: read(`${backend}_KEY_FILE`, files.key) } : {}),
    ...(servername ? { servername } : {}),
  };
}

const ENCRYPTED: ReadonlySet<string> = new Set(['tls', 'rediss', 'bolt+s', 'neo4j+s', 'bolt+ssc', 'neo4j+ssc']);

const HINTS: Readonly<Record<Backend, string>> = {
  NEO4J: 'Write bolt+s:// or neo4j+s://.',
  NATS: 'Write tls://.',
  REDIS: 'Write rediss://.',
};

function textOf(config: Config, backend: Backend, name: string): string {
  const value = config[`${backend}_${name}`];
  return typeof value === 'string' ? value : '';
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new Error(`The configuration is wrong.\n- ${name} can't be read (${reason}).`, { cause: error });
  }
}
