import { type ReadOptions, TABLE_FIELDS } from '@taskgraph/client/transfer';
import { describe, expect, test } from 'vitest';
import { files } from '../messages/en/files.ts';
import { createFileHandler } from './file-handler.ts';
import type { FileAnswer, FileRequest } from './file-messages.ts';

/** The work with its answers, copied as on the way to the worker and back. */
function createWork() {
  const answers: FileAnswer[] = [];
  const work = createFileHandler((answer) => answers.push(structuredClone(answer)));
  return {
    answers,
    handle: (request: FileRequest) => work.handle(request),
    async read(text: string | Uint8Array<ArrayBuffer>, name = 'plan.csv', reading: ReadOptions = {}) {
      await work.handle({ kind: 'read', file: new File([text], name), format: null, reading });
      return answers.at(-1);
    },
  };
}

const fault = (value: object) => ({ kind: 'broken', fault: value });

describe('[CON28] reading', () => {
  test('[CON28 IO2] a preview has the first rows as the service will show them, and what is left out', async () => {
    const { read } = createWork();
    const rows = Array.from({ length: 20 }, (_, index) => `x${index},Task ${index},,`);
    const text = [
      'id,title,status,waits for',
      'a,Dig,Completed,',
      'b,Pour,,a',
      'c,Paint,Blocked,b',
      'd,Sell,,c',
      ...rows,
    ].join('\n');
    const answer = await read(text);
    if (answer?.kind !== 'preview') throw new Error(JSON.stringify(answer));
    const { first, ...numbers } = answer.preview;
    expect(numbers).toMatchObject({ format: 'csv', tasks: 24, links: 3, leftOut: [] });
    expect(first).toHaveLength(10);
    const none = { dueDate: null, priority: 0, volume: 0, assignee: [] };
    expect(first.slice(0, 4)).toEqual([
      { ...none, title: 'Dig', status: 3, waitsFor: [], waits: 0 },
      { ...none, title: 'Pour', status: 0, waitsFor: ['Dig'], waits: 1 },
      { ...none, title: 'Paint', status: 2, waitsFor: ['Pour'], waits: 1 },
      { ...none, title: 'Sell', status: 2, waitsFor: ['Paint'], waits: 1 },
    ]);
    const colours = rows.map((row) => `${row}red`);
    const other = await read(['id,title,status,colour', ...colours].join('\n'));
    expect(other).toMatchObject({
      preview: { leftOut: [{ what: 'the column "colour"', count: 20, places: { length: 5 } }] },
    });
  });

  test('[CON28 IO10] a table is read with the chosen fields and order of dates', async () => {
    const { read } = createWork();
    const text = 'title,Who does it,When,Notes,Notes,\nDig,Ann,1/2/2030,a,b,c\n';
    const columns = (who: string | null, when: string | null) => [
      { head: 'title', field: 'title' },
      { head: 'Who does it', field: who },
      { head: 'When', field: when },
      { head: 'Notes', field: 'description' },
      { head: '', field: null },
    ];
    expect(await read(text)).toMatchObject({ preview: { columns: columns(null, null) } });
    const mapped = { 'Who does it': 'assignee', When: 'due' };
    expect(await read(text, 'plan.csv', { columns: mapped, dates: 'day-first' })).toMatchObject({
      preview: {
        columns: columns('assignee', 'due'),
        first: [{ title: 'Dig', dueDate: '2030-02-01T23:59:59.000Z', assignee: ['Ann'] }],
      },
    });
    expect(await read(text, 'plan.csv', { columns: { title: 'none' } })).toMatchObject(
      fault({ kind: 'broken', line: 1, reason: expect.stringContaining('there is no column title') }),
    );
    expect(await read('title,due\nDig,soon\n', 'plan.csv', { strict: true })).toMatchObject(
      fault({ kind: 'broken', format: 'csv', line: 2 }),
    );
    expect(await read('- [ ] Dig\n', 'a.md')).toMatchObject({ preview: { columns: null } });
  });

  test.each([
    ['an empty file', '', 'plan.csv', { kind: 'empty' }],
    ['an archive', 'PK\u0003\u0004', 'plan.zip', { kind: 'archive' }],
    ['bytes that are no text', new Uint8Array([0x74, 0xff, 1]), 'plan.csv', { kind: 'not-text', reason: 'plan.csv' }],
    ['another format', '%PDF-1.7', 'a.pdf', { kind: 'unknown', seems: expect.stringContaining('a document') }],
    ['a broken line', 'title,due\n"Dig,soon', 'plan.csv', { kind: 'broken', format: 'csv', line: 2 }],
    ['JSON of another encoding', new Uint8Array([0x5b, 0x7b, 0x22, 0xe9]), 'plan.json', { kind: 'unknown' }],
    [
      'a cycle, by the names of its tasks',
      'id,title,waits for\na,Dig,b\nb,Pour,a',
      'plan.csv',
      { kind: 'broken', line: 2, reason: expect.stringMatching(/in a cycle: "Dig".*"Pour".*"Dig"/) },
    ],
  ])('[CON28 IO2] says why it does not take %s', async (_, text, name, expected) => {
    expect(await createWork().read(text, name)).toMatchObject(fault(expected));
  });

  test('[CON28 IO2] a file that is too large is not read at all', async () => {
    const { handle, answers } = createWork();
    const file = new File([], 'large.csv');
    Object.defineProperty(file, 'size', { value: 64 * 1024 * 1024 + 1 });
    await handle({ kind: 'read', file, format: null, reading: {} });
    expect(answers).toEqual([fault({ kind: 'too-large' })]);
  });
});

test('[CON28 IO10] each field of a table has a text', () => {
  expect(Object.keys(files.fields).toSorted()).toEqual(TABLE_FIELDS.toSorted());
});

test('[CON28 BAT3] a refusal names its code and the tasks of the operation', async () => {
  const { read, handle, answers } = createWork();
  await read('id,title,waits for\na,Dig,\nb,Pour,a\n');
  const done = handle({ kind: 'import', under: null, again: null, known: 0 });
  const answerLast = async (event: string, reply: (call: number) => FileRequest) => {
    await expect.poll(() => answers.at(-1)).toMatchObject({ kind: 'call', event });
    const last = answers.at(-1);
    if (last?.kind === 'call') await handle(reply(last.call));
  };
  await answerLast('node:add', (call) => ({
    kind: 'answer',
    call,
    answer: { diff: { ts: '2026-01-01T00:00:00.000Z', nodes: [], links: [] } },
  }));
  // The import has no rows then, and goes on.
  await expect.poll(() => answers.at(-1)).toMatchObject({ kind: 'source-call', method: 'begin' });
  const begin = answers.at(-1);
  const missing = { code: 'not_found', message: 'not_found: There is no such path.', details: {} };
  if (begin?.kind === 'source-call') await handle({ kind: 'refusal', call: begin.call, failure: missing });
  const failure = { code: 'forbidden', message: 'forbidden: Not you.', details: { index: 2 } };
  await answerLast('batch:run', (call) => ({ kind: 'refusal', call, failure }));
  await done;
  expect(answers.at(-1)).toEqual({
    kind: 'failed',
    failure: { code: 'forbidden', message: 'Not you.', details: { index: 2 }, place: ['Dig', 'Pour'] },
  });
});

test.each(['csv', 'taskgraph'] as const)(
  '[CON29 IO3] an export as %s is read again with the same tasks',
  async (format) => {
    const { handle, answers, read } = createWork();
    const node = (id: string, title: string) => ({ id, version: 1, title, status: 0, tags: ['a;b'], volume: 3 });
    const content = {
      nodes: [node('1', '=1+1, "quoted"'), node('2', 'Two\nlines')],
      links: [{ id: 'l', version: 1, source: '1', target: '2', type: 0, private: false }],
    };
    await handle({ kind: 'write', content, format, now: '2026-01-01T00:00:00.000Z' });
    const written = answers.at(-1);
    if (written?.kind !== 'written') throw new Error(JSON.stringify(written));
    expect(written.file).toMatchObject({ tasks: 2, links: 1, leftOut: [] });
    expect(await read(written.file.text, format === 'csv' ? 'a.csv' : 'a.json')).toMatchObject({
      preview: { tasks: 2, links: 1, first: [{ title: '=1+1, "quoted"' }, { waitsFor: ['=1+1, "quoted"'] }] },
    });
  },
);
