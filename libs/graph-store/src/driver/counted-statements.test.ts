import { expect, test, vi } from 'vitest';
import { countStatements } from './counted-statements.ts';
import type { Database } from './database.ts';

/** A database that only records its calls. */
function recorded() {
  const sent: string[] = [];
  const note = async (cypher: string) => {
    sent.push(cypher);
    return [];
  };
  const transaction = { run: note, stream: note, commit: async () => undefined, rollback: async () => undefined };
  const database = { read: note, write: note, begin: () => transaction, beginStreaming: () => transaction };
  return { sent, database: database as unknown as Database };
}

test('each statement is counted once, and sent unchanged', async () => {
  const { sent, database } = recorded();
  const onStatement = vi.fn();
  const counted = countStatements(database, onStatement);
  await counted.read('READ', {});
  await counted.write('WRITE', {});
  const transaction = counted.begin();
  await transaction.run('LOCK', {});
  await transaction.run('LOAD', {});
  await transaction.commit();
  const streaming = counted.beginStreaming(1_000, 100);
  streaming.stream('STREAM', {});
  await streaming.rollback();
  expect(sent).toEqual(['READ', 'WRITE', 'LOCK', 'LOAD', 'STREAM']);
  expect(onStatement).toHaveBeenCalledTimes(5);
});
