import { readConfig } from '@taskgraph/runtime/service/config';
import { expect, test } from 'vitest';
import { configuration } from './configuration.ts';

const read = (variables: Record<string, string>) =>
  readConfig(configuration, { NATS_URL: 'nats://nats', ...variables });

test('[HOOK9] by default no inner target is open, and there is no proxy', () => {
  const config = read({ HOOKS_ALLOWED_HOSTS: '', HOOKS_PROXY_URL: '' });
  expect([config.HOOKS_ALLOWED_HOSTS, config.HOOKS_ALLOWED_NETWORKS, config.HOOKS_PROTECTED_HOSTS]).toEqual([
    [],
    [],
    [],
  ]);
  expect(config.HOOKS_PROXY_URL).toBeUndefined();
});

test('[HOOK9] hosts get the form that they have in URLs, and protected ones lose their ports', () => {
  const text = ' Inner.test:443 ,10.1:80,[::1]:9000,plain.test,127.0.0.1:0080, ';
  const hosts = ['inner.test:443', '10.0.0.1:80', '[::1]:9000', 'plain.test', '127.0.0.1:80'];
  expect(read({ HOOKS_ALLOWED_HOSTS: text }).HOOKS_ALLOWED_HOSTS).toEqual(hosts);
  const names = ['inner.test', '10.0.0.1', '::1', 'plain.test', '127.0.0.1'];
  expect(read({ HOOKS_PROTECTED_HOSTS: text }).HOOKS_PROTECTED_HOSTS).toEqual(names);
});

test('[HOOK9] networks may be single addresses', () => {
  const networks = read({ HOOKS_ALLOWED_NETWORKS: '10.1.0.0/16, fd00::/8,10.2.0.1' }).HOOKS_ALLOWED_NETWORKS;
  expect(networks.map(([address, bits]) => `${address}/${bits}`)).toEqual(['10.1.0.0/16', 'fd00::/8', '10.2.0.1/32']);
});

test.each([
  ['HOOKS_ALLOWED_HOSTS', 'https://inner.test'],
  ['HOOKS_ALLOWED_HOSTS', 'inner.test/path'],
  ['HOOKS_ALLOWED_HOSTS', 'user@inner.test'],
  ['HOOKS_ALLOWED_HOSTS', '10.0.0.0/8'],
  ['HOOKS_ALLOWED_HOSTS', '*.inner.test'],
  ['HOOKS_ALLOWED_HOSTS', 'inner.test:99999'],
  ['HOOKS_ALLOWED_NETWORKS', '10.0.0.0/33'],
  ['HOOKS_ALLOWED_NETWORKS', 'inner.test'],
  ['HOOKS_ALLOWED_NETWORKS', '10.1'],
  ['HOOKS_PROXY_URL', 'socks5://proxy.test'],
  ['HOOKS_PROXY_URL', 'http://me:50%@proxy.test'],
  ['HOOKS_SENDS_AT_ONCE', '0'],
])('[HOOK9] %s=%s stops the start', (name, text) => {
  expect(() => read({ [name]: text })).toThrow(`${name} is not valid`);
});
