// Which targets may be sent to, by the addresses that a real look-up finds.
import { webhookUrl } from '@taskgraph/wire/webhooks/webhook-url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DnsServer, startDnsServer } from '../test/support/dns-server.ts';
import { parseNetwork } from './address-class.ts';
import { type AddressPolicy, createAddressPolicy, type PolicySettings } from './address-policy.ts';
import { createDnsLookup } from './lookup.ts';

const PUBLIC = '93.184.215.14';

const NAMES: Readonly<Record<string, readonly string[] | null>> = {
  'receiver.test': [PUBLIC, '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'inner.test': ['10.1.2.3'],
  'inner-too.test': ['10.9.2.3'],
  'mixed.test': [PUBLIC, '10.1.2.3'],
  'mixed-loopback.test': [PUBLIC, '::1'],
  'loopback.test': ['127.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
  'mapped.test': ['::ffff:10.1.2.3'],
  'metadata.test': ['169.254.169.254'],
  'database.test': ['10.1.0.7'],
  'empty.test': [],
};

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer((name) => (name === 'failing.test' ? 'failure' : (NAMES[name] ?? null)));
});
afterAll(() => dns.close());

function policyOf(settings: Partial<PolicySettings> = {}): AddressPolicy {
  const lookup = createDnsLookup([dns.address]);
  const all = { allowedHosts: [], allowedNetworks: [], protectedHosts: [], ...settings };
  return createAddressPolicy(all, { dns: lookup, configured: lookup });
}

const reasonOf = (policy: AddressPolicy, url: string) =>
  policy.resolve(new URL(url)).then(
    () => 'allowed',
    (error: { reason?: string }) => error.reason,
  );

/** Hosts that are not on the public internet, in all the forms that a URL may have. */
const FORBIDDEN = [
  '127.0.0.1',
  '127.255.255.254',
  '127.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '①②⑦.⓪.⓪.①',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '169.254.170.2',
  '192.0.0.192',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[4000::1]',
  '[100::1]',
  'loopback.test',
  'mapped.test',
  'metadata.test',
  'inner.test',
  'mixed.test',
  'mixed-loopback.test',
];

describe('targets of webhooks', () => {
  test.each(FORBIDDEN)('[HOOK9] https://%s is forbidden', async (host) => {
    const url = `https://${host}/path`;
    expect(webhookUrl.safeParse(url).success).toBe(true);
    expect(await reasonOf(policyOf(), url)).toBe('forbidden');
  });

  test('[HOOK9] the table has at least 40 forbidden targets', () => {
    expect(new Set(FORBIDDEN).size).toBeGreaterThanOrEqual(40);
  });

  test.each([
    PUBLIC,
    '1.1.1.1',
    '[2606:4700:4700::1111]',
    '[::ffff:1.1.1.1]',
    '[64:ff9b::101:101]',
    'receiver.test',
    'RECEIVER.test',
  ])('[HOOK9] https://%s is public', async (host) => {
    expect(await reasonOf(policyOf(), `https://${host}/`)).toBe('allowed');
    expect(await reasonOf(policyOf(), `http://${host}/`)).toBe('forbidden');
  });

  test.each([
    ['localhost', 'forbidden'],
    ['absent.test', 'unresolved'],
    ['empty.test', 'unresolved'],
    ['failing.test', 'lookup'],
  ])('[HOOK9] the name %s is %s', async (host, reason) => {
    expect(await reasonOf(policyOf(), `https://${host}/`)).toBe(reason);
  });
});

describe('targets that the operator opens', () => {
  const networks = (...texts: string[]) => ({ allowedNetworks: texts.map(parseNetwork) });

  test('[HOOK9] an allowed network opens its addresses, also without TLS', async () => {
    const policy = policyOf(networks('10.1.0.0/16'));
    for (const host of ['10.1.2.3', 'inner.test', 'mapped.test', '[::ffff:10.1.2.3]', '[64:ff9b::a01:203]']) {
      expect(await reasonOf(policy, `http://${host}:8080/`)).toBe('allowed');
    }
    expect(await reasonOf(policy, 'https://mixed.test/')).toBe('allowed');
    expect(await reasonOf(policy, 'http://mixed.test/')).toBe('forbidden');
    expect(await reasonOf(policy, 'https://inner-too.test/')).toBe('forbidden');
  });

  test.each(['0.0.0.0/0', '127.0.0.0/8', '169.254.0.0/16', '::/0', '::1/128', 'fe80::/10'])(
    '[HOOK9] the allowed network %s opens no loopback and no link-local address',
    async (network) => {
      const policy = policyOf(networks(network));
      const hosts = ['127.0.0.1', '169.254.169.254', '0.0.0.0', '[::1]', '[fe80::1]', '[::]', 'localhost'];
      for (const host of [...hosts, 'loopback.test', 'metadata.test']) {
        expect(await reasonOf(policy, `https://${host}/`)).toBe('forbidden');
      }
    },
  );

  test('[HOOK9] no allowed network opens the address of a protected host, by whatever name', async () => {
    const policy = policyOf({
      ...networks('10.1.0.0/16'),
      protectedHosts: ['database.test', '10.1.0.8', 'absent.test'],
    });
    for (const host of ['database.test', '10.1.0.7', '[::ffff:10.1.0.7]', '10.1.0.8']) {
      expect(await reasonOf(policy, `http://${host}:7687/`)).toBe('forbidden');
    }
    expect(await reasonOf(policy, 'http://10.1.0.9/')).toBe('allowed');
  });

  test('[HOOK9] a public address of a protected host is forbidden too', async () => {
    const policy = policyOf({ protectedHosts: [PUBLIC] });
    expect(await reasonOf(policy, 'https://receiver.test/')).toBe('forbidden');
  });

  test('[HOOK9] if the address of a protected host is unknown, nothing is sent', async () => {
    const policy = policyOf({ ...networks('10.1.0.0/16'), protectedHosts: ['failing.test'] });
    expect(await reasonOf(policy, 'https://10.1.0.9/')).toBe('lookup');
  });

  test('[HOOK8 HOOK9] while the look-up of a protected host fails, its last address counts for ten minutes', async () => {
    let isFailing = false;
    const server = await startDnsServer((name) =>
      isFailing ? 'failure' : name === 'backend.test' ? ['10.1.0.7'] : null,
    );
    const lookup = createDnsLookup([server.address]);
    let nowMs = 0;
    const policy = createAddressPolicy(
      { ...networks('10.1.0.0/16'), allowedHosts: [], protectedHosts: ['backend.test'] },
      { dns: lookup, configured: lookup },
      () => nowMs,
    );
    expect(await reasonOf(policy, 'https://10.1.0.9/')).toBe('allowed');
    isFailing = true;
    nowMs = 590_000;
    expect(await reasonOf(policy, 'https://10.1.0.9/')).toBe('allowed');
    expect(await reasonOf(policy, 'https://10.1.0.7/')).toBe('forbidden');
    nowMs = 610_000;
    const unknown = policy.resolve(new URL('https://10.1.0.9/'));
    await expect(unknown).rejects.toMatchObject({ reason: 'lookup', isInstallationFault: true });
    await server.close();
  });

  test('[HOOK8] the look-up of a configured host has a time limit, and its failure is one of the installation', async () => {
    const server = await startDnsServer((name) => (name === '' ? [] : 'silence'));
    const lookup = createDnsLookup([server.address, server.address]);
    const lookups = { dns: lookup, configured: lookup };
    const settings = { allowedNetworks: [], allowedHosts: ['inner.test'], protectedHosts: ['backend.test'] };
    const policy = createAddressPolicy(settings, lookups);
    const fault = { reason: 'lookup', isInstallationFault: true };
    const expectFault = async (url: string) => {
      const startMs = performance.now();
      await expect(policy.resolve(new URL(url))).rejects.toMatchObject(fault);
      // Both look-ups of one attempt take less than the attempt.
      expect(performance.now() - startMs).toBeLessThan(7_000);
    };
    await Promise.all([expectFault('https://inner.test/'), expectFault('https://1.1.1.1/')]);
    await server.close();
  });

  test('[HOOK9] an allowed host is open, by exactly this name and port', async () => {
    const protectedHosts = ['database.test'];
    const policy = policyOf({ allowedHosts: ['127.0.0.1:9000', 'loopback.test', 'database.test:80'], protectedHosts });
    for (const host of ['127.0.0.1:9000', 'loopback.test', 'loopback.test:81', 'database.test']) {
      expect(await reasonOf(policy, `http://${host}/`)).toBe('allowed');
    }
    for (const host of ['127.0.0.1:9001', '127.0.0.2:9000', '[::1]:9000', 'a.loopback.test', 'database.test:81']) {
      expect(await reasonOf(policy, `http://${host}/`)).not.toBe('allowed');
    }
  });
});

test('[HOOK9] a proxy looks names up, but literal addresses and URLs without TLS are checked before', async () => {
  const policy = policyOf({ allowedHosts: ['inner.test'] });
  const reason = (url: string) =>
    policy.check(new URL(url)).then(
      () => 'allowed',
      (error: { reason?: string }) => error.reason,
    );
  for (const url of ['https://receiver.test/', 'https://1.1.1.1/', 'http://inner.test/']) {
    expect(await reason(url)).toBe('allowed');
  }
  for (const url of ['http://receiver.test/', 'https://127.0.0.1/', 'https://[::ffff:10.0.0.1]/']) {
    expect(await reason(url)).toBe('forbidden');
  }
});
