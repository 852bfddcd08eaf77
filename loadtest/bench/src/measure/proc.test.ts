import { expect, test } from 'vitest';
import { cpuMsOf, readCpuMs, readResidentBytes, residentBytesOf } from './proc.ts';

const STAT =
  '4242 (odd) name (x) S 1 4242 4242 0 -1 4194560 21342 0 12 0 731 269 0 0 20 0 11 0 882 1 2 3 4 5 6 7 8 9 0 0 0 17 1 0 0';

test('processor time is user plus system time, for any process name', () => {
  expect(cpuMsOf(STAT)).toBe(10_000);
});

test('a text in another format is an error, not zero', () => {
  expect(() => cpuMsOf('4242 (node) S')).toThrow('another form');
  expect(() => residentBytesOf('VmSize: 12 kB')).toThrow('another form');
});

test('resident memory is in bytes', () => {
  expect(residentBytesOf('Name:\tnode\nVmHWM:\t  200 kB\nVmRSS:\t  100 kB\n')).toBe(102_400);
});

test.runIf(process.platform === 'linux')('the time of this very process grows as it works', () => {
  const before = readCpuMs(process.pid);
  const end = performance.now() + 100;
  while (performance.now() < end);
  expect(readCpuMs(process.pid)).toBeGreaterThan(before);
  expect(readResidentBytes(process.pid)).toBeGreaterThan(10_000_000);
});
