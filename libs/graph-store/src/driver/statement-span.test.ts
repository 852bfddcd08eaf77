import { expect, it } from 'vitest';
import { inStatementSpan, summaryOf } from './statement-span.ts';

it('a summary names each action and each target of a statement once', () => {
  const cypher =
    "UNWIND $ids AS id MATCH (n:Node {id: id})-[r:IN]->(:Feed) SET n.title = 'x' CREATE (:Node) SET n.lock = 1";
  expect(summaryOf(cypher)).toBe('MATCH SET CREATE Node Feed');
  expect(summaryOf('RETURN 1')).toBe('CYPHER');
  expect(summaryOf(`MATCH ${Array.from({ length: 100 }, (_, at) => `(:Label${at})`).join('')}`)).toHaveLength(200);
});

it('an untraced statement is sent in the same turn', async () => {
  let sent = false;
  const sending = inStatementSpan('RETURN 1', undefined, async () => {
    sent = true;
    return 'rows';
  });
  expect(sent).toBe(true);
  expect(await sending).toBe('rows');
});
