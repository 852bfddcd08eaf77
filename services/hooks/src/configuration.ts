// The settings of a hooks service, from its environment.
import { defineConfig } from '@taskgraph/runtime/service/config';
import { natsSettings, watchSettings } from '@taskgraph/runtime/service/settings';
import { z } from 'zod';
import { type Network, parseNetwork } from './addresses/address-class.ts';
import { hostOf } from './addresses/address-policy.ts';

/** Whether the user name and the password of a URL can be decoded. */
function hasReadableLogin(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** The parts of a list that is separated by commas. */
function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** A list of hosts in the form that URLs have, each perhaps with a port. */
const hosts = z.string().transform((text, context): readonly string[] =>
  partsOf(text).map((part) => {
    const url = /^[^*]+$/.test(part) && URL.canParse(`http://${part}`) ? new URL(`http://${part}`) : null;
    const port = /:(\d{1,5})$/.exec(part)?.[1];
    if (url !== null && `${url.username}${url.pathname}${url.search}${url.hash}` === '/') {
      return port === undefined ? url.hostname : `${url.hostname}:${Number(port)}`;
    }
    context.addIssue({ code: 'custom', message: 'it must be hosts such as example.org or 10.0.0.7:8443' });
    return z.NEVER;
  }),
);

/** The same without ports and without the brackets of IPv6 addresses. */
const hostNames = hosts.transform((list) => list.map((host) => hostOf(new URL(`http://${host}`))));

const networks = z.string().transform((text, context): readonly Network[] => {
  try {
    return partsOf(text).map(parseNetwork);
  } catch {
    context.addIssue({ code: 'custom', message: 'it must be networks such as 10.1.0.0/16' });
    return z.NEVER;
  }
});

export const configuration = defineConfig({
  ...watchSettings,
  ...natsSettings,
  HOOKS_ID: { schema: z.string().min(1).max(100), default: 'hooks', description: 'Name in logs and at NATS.' },
  HOOKS_ALLOWED_HOSTS: {
    schema: hosts,
    default: [],
    description:
      'Hosts, separated by commas and each perhaps with a port, to which webhooks may be sent although they are not on the internet, and without TLS.',
    see: 'operations.md#webhooks',
  },
  HOOKS_ALLOWED_NETWORKS: {
    schema: networks,
    default: [],
    description:
      'Networks, separated by commas, to whose addresses webhooks may be sent, also without TLS. They never open loopback and link-local addresses and protected hosts.',
    see: 'operations.md#webhooks',
  },
  HOOKS_PROTECTED_HOSTS: {
    schema: hostNames,
    default: [],
    description:
      'Hosts, separated by commas, to which webhooks are only sent if HOOKS_ALLOWED_HOSTS has them, such as those of Neo4j and Redis. Those of NATS_URL are always among them.',
  },
  HOOKS_PROXY_URL: {
    schema: z
      .url({ protocol: /^https?$/ })
      .refine(hasReadableLogin, 'its login must be encoded as in URLs')
      .optional(),
    description:
      'HTTP proxy through which all webhooks are sent; it looks names up, and must refuse addresses that are not public.',
    see: 'operations.md#webhooks',
  },
  HOOKS_CA_FILE: {
    schema: z.string().min(1).optional(),
    description:
      'PEM file with the certificate authorities of receivers and of the proxy, in addition to those that Node trusts.',
  },
  HOOKS_SENDS_AT_ONCE: {
    schema: z.coerce.number().int().min(2).max(1_000),
    default: 256,
    description:
      'Maximum messages that this service sends at the same time. Slow, new and failing receivers get at most three quarters of them.',
  },
});
