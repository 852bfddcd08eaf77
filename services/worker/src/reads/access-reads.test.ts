// When reads of a reader's access begin, and who shares them.
import type { ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { expect, test } from 'vitest';
import { createAccessReads } from './access-reads.ts';

const ann = { id: 'ann', username: 'ann', email: 'ann@example.com' };
const bob = { id: 'bob', username: 'bob', email: 'bob@example.com' };

/** Reads that the test ends; each answers with its number. */
function pendingReads() {
  const begun: { readonly id: string; end(error?: Error): void }[] = [];
  const read = createAccessReads(
    ({ id }) =>
      new Promise((resolve, reject) => {
        const number = begun.length;
        begun.push({
          id,
          end: (error) => (error === undefined ? resolve({ revision: number } as ReaderAccess) : reject(error)),
        });
      }),
  );
  return { begun, read };
}

const revisionOf = async (access: Promise<ReaderAccess>) => (await access).revision;

test('[ACL7] a read that arrives during another one begins after it, and is shared', async () => {
  const { begun, read } = pendingReads();
  const first = read(ann);
  const [second, third] = [read(ann), read(ann)];
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  expect(await revisionOf(first)).toBe(0);
  await expect.poll(() => begun.length).toBe(2);
  const fourth = read(ann);
  begun[1]?.end();
  expect(await Promise.all([second, third].map(revisionOf))).toEqual([1, 1]);
  await expect.poll(() => begun.length).toBe(3);
  begun[2]?.end();
  expect(await revisionOf(fourth)).toBe(2);
  const fifth = read(ann);
  expect(begun).toHaveLength(4);
  begun[3]?.end();
  expect(await revisionOf(fifth)).toBe(3);
});

test('readers do not wait for each other', async () => {
  const { begun, read } = pendingReads();
  void read(ann);
  void read(bob);
  void read({ ...ann, email: 'ann@example.org' });
  expect(begun.map(({ id }) => id)).toEqual(['ann', 'bob', 'ann']);
});

test('a read that fails does not stop the next one', async () => {
  const { begun, read } = pendingReads();
  const first = read(ann);
  const second = read(ann);
  begun[0]?.end(new Error('the database is away'));
  await expect(first).rejects.toThrow('the database is away');
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.end();
  expect(await revisionOf(second)).toBe(1);
});
