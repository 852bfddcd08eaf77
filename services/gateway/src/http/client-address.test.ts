import { describe, expect, test } from 'vitest';
import { clientAddress, parseNetworks } from './client-address.ts';

const networks = parseNetworks('10.0.0.0/8, 192.168.1.1,fd00::/8');
const [behindOne, behindThree] = [
  { networks, hops: 1 },
  { networks, hops: 3 },
];

describe('the address of a client', () => {
  test.each<[what: string, remote: string, forwarded: string, client: string]>([
    ['is the other end without trusted proxies', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['is the address that the last proxy saw', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is not an invention of the client', '10.0.0.1', '8.8.8.8, 10.9.9.9, 198.51.100.1', '198.51.100.1'],
    ['is the proxy itself if it names no address', '10.0.0.1', '', '10.0.0.1'],
    ['is the last one that can be read', '10.0.0.1', '198.51.100.1, nonsense', '10.0.0.1'],
    ['is IPv4 also if it is mapped', '::ffff:203.0.113.5', '', '203.0.113.5'],
    ['is a proxy also if its address is mapped', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is the /64 of IPv6', '2001:db8:1:2:3:4:5:6', '', '2001:db8:1:2::/64'],
    ['is read behind an IPv6 proxy', 'fd00::1', '2001:db8::9', '2001:db8:0:0::/64'],
    ['is unknown if it is unreadable', '', '', 'unknown'],
  ])('%s', (_what, remote, forwarded, client) => {
    for (const trusted of [behindOne, behindThree]) expect(clientAddress(remote, forwarded, trusted)).toBe(client);
  });

  test('is read from the right, past the configured number of proxies, if all of them are known', () => {
    const past = (forwarded: string) => clientAddress('10.0.0.1', forwarded, behindThree);
    expect(past('1.1.1.1, 198.51.100.1, 192.168.1.1')).toBe('198.51.100.1');
    expect(past('10.0.0.3, 10.0.0.2')).toBe('10.0.0.3');
    expect(past('1.1.1.1, 10.0.0.5, 10.0.0.4, 10.0.0.3')).toBe('10.0.0.5');
  });

  test('cannot be forged by a client whose own address is trusted', () => {
    for (const invented of ['6.6.6.6', '6.6.6.6, 7.7.7.7', '10.0.0.9, 6.6.6.6', ',', '6.6.6.6,,']) {
      expect(clientAddress('10.0.0.1', `${invented}, 10.1.2.3`, behindOne)).toBe('10.1.2.3');
      expect(clientAddress('10.0.0.1', `${invented}, 10.1.2.3:4567`, behindOne)).toBe('10.1.2.3');
    }
  });

  test.each([
    ['198.51.100.1:5678', '198.51.100.1'],
    ['[2001:db8::9]:80', '2001:db8:0:0::/64'],
    ['[2001:db8::9]', '2001:db8:0:0::/64'],
    ['[::ffff:198.51.100.1]:5678', '198.51.100.1'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('is read with its port: %s', (forwarded, client) => {
    expect(clientAddress('10.0.0.1', forwarded, behindOne)).toBe(client);
    expect(clientAddress('10.0.0.1', `8.8.8.8:1, ${forwarded}`, behindOne)).toBe(client);
  });

  test.each([
    '1',
    '0x7f.1',
    '0177.0.0.1',
    '198.51.100.1:',
    '198.51.100.1:x',
    '198.51.100.1:123456',
    '[198.51.100.1',
    '::1]:80',
  ])('is not read from %s', (forwarded) => expect(clientAddress('10.0.0.1', forwarded, behindOne)).toBe('10.0.0.1'));

  test('never comes from a header without a configured proxy', () => {
    const nobody = { networks: parseNetworks(''), hops: 3 };
    expect(clientAddress('127.0.0.1', '198.51.100.1', nobody)).toBe('127.0.0.1');
  });
});

test.each(['10.0.0.0/33', 'localhost', '10.0.0.0/8;10.0.0.1'])('%s is not a list of proxies', (text) => {
  expect(() => parseNetworks(text)).toThrow();
});
