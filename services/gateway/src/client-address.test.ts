import { describe, expect, test } from 'vitest';
import { clientAddress, parseProxies } from './client-address.ts';

const trusted = parseProxies('10.0.0.0/8, 192.168.1.1,fd00::/8');

describe('the address of a client', () => {
  test.each<[what: string, remote: string, forwarded: string, client: string]>([
    ['is the other end where nobody is trusted', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['is what the last proxy saw', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is read from the right past all proxies', '10.0.0.1', '1.1.1.1, 198.51.100.1, 192.168.1.1', '198.51.100.1'],
    ['is no invention of the client', '10.0.0.1', '8.8.8.8, 10.9.9.9, 198.51.100.1', '198.51.100.1'],
    ['is the proxy itself where it names nobody', '10.0.0.1', '', '10.0.0.1'],
    ['is the last one that can be read', '10.0.0.1', '198.51.100.1, nonsense', '10.0.0.1'],
    ['is the leftmost where all are proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is IPv4 also where it is mapped', '::ffff:203.0.113.5', '', '203.0.113.5'],
    ['is a proxy also where that is mapped', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is the /64 of IPv6', '2001:db8:1:2:3:4:5:6', '', '2001:db8:1:2::/64'],
    ['is read behind an IPv6 proxy', 'fd00::1', '2001:db8::9', '2001:db8:0:0::/64'],
    ['is unknown where it can not be read', '', '', 'unknown'],
  ])('%s', (_what, remote, forwarded, client) => {
    expect(clientAddress(remote, forwarded, trusted)).toBe(client);
  });

  test('is never what a header says where no proxy is configured', () => {
    expect(clientAddress('127.0.0.1', '198.51.100.1', parseProxies(''))).toBe('127.0.0.1');
  });
});

test.each(['10.0.0.0/33', 'localhost', '10.0.0.0/8;10.0.0.1'])('%s is no list of proxies', (text) => {
  expect(() => parseProxies(text)).toThrow();
});
