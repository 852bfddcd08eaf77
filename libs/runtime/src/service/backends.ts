// Converts the settings of each backend to its client's options.

import { isIP } from 'node:net';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { type TlsFiles, type TlsOptions, tlsFilesOf, tlsOptionsOf } from '../security/tls.ts';

interface Login {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

export interface Neo4jSettings {
  readonly NEO4J_URL: string;
  readonly NEO4J_USER: string;
  readonly NEO4J_PASSWORD: string;
}

/** Throws an Error that names conflicting settings; so do the other two functions. */
export function neo4jOptions(config: Neo4jSettings): Login & { tls?: TlsFiles } {
  const tls = tlsFilesOf('NEO4J', { ...config });
  const { NEO4J_URL: url, NEO4J_USER: user, NEO4J_PASSWORD: password } = config;
  return { url, user, password, ...definedFields({ tls }) };
}

export interface NatsSettings {
  readonly NATS_URL: string;
  readonly NATS_USER: string;
  readonly NATS_PASSWORD: string;
}

export function natsOptions(config: NatsSettings): Login & { tls?: TlsOptions } {
  const tls = tlsOptionsOf('NATS', { ...config });
  if (tls !== undefined && tls.servername === undefined && config.NATS_URL.split(',').some(isNumeric)) {
    // The client would expect the name `localhost` in the certificate.
    throw new Error(
      'The configuration is wrong.\n- NATS_SERVER_NAME is needed, since NATS_URL names a server by its number.',
    );
  }
  const { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password } = config;
  return { url, user, password, ...definedFields({ tls }) };
}

/** Whether the host of an address is an IP address. */
function isNumeric(address: string): boolean {
  const { hostname } = new URL(address.trim());
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}
