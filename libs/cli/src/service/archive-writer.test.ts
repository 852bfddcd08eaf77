import { expect, test } from 'vitest';
import { readArchive } from './archive.ts';
import { writeArchive } from './archive-writer.ts';

test('[ADMIN7] a written archive has its files, whatever their length', () => {
  const files = [
    { name: 'bundle.json', content: '{}' },
    { name: 'services/worker-1.metrics.txt', content: 'متن\n'.repeat(50_000) },
    { name: 'empty.txt', content: '' },
  ];
  const options = { choose: (names: readonly string[]) => names, wanted: 'files', maximumBytes: 10_000_000 };
  const read = readArchive(writeArchive(files), options).files;
  expect(read.map(({ name, content }) => ({ name, content: Buffer.from(content).toString() }))).toEqual(files);
});
