import { expect, test } from 'vitest';
import { describeVersions, nodeVersionOf } from './versions.ts';

const TEXT = `# TYPE nodejs_version_info gauge
nodejs_version_info{version="v24.21.0",major="24",minor="21",patch="0"} 1
# EOF`;

test('the version of Node is that of the metrics', () => {
  expect(nodeVersionOf(TEXT)).toBe('24.21.0');
  expect(() => nodeVersionOf('# EOF')).toThrow('does not report the version');
});

test('versions are one line, by role', () => {
  expect(describeVersions({ worker: 'Node 24.21.0', nats: '2.11.4' })).toBe('worker Node 24.21.0, nats 2.11.4');
});
