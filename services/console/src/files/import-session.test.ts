import { expect, test } from 'vitest';
import type { FileAnswer, FileRequest } from '../transfer/file-messages.ts';
import { createImportSession, type ImportCalls } from './import-session.ts';

test('[CON28] an import that ends while it connects makes no call, and leaves no connection', async () => {
  let open: (calls: ImportCalls) => void = () => undefined;
  const opening = new Promise<ImportCalls>((resolve) => {
    open = resolve;
  });
  const acts: string[] = [];
  let receive: (answer: FileAnswer) => void = () => undefined;
  const session = createImportSession({
    file: new File(['title\none\n'], 'one.csv'),
    startWorker({ received }) {
      receive = received;
      return { send: () => undefined, stop: () => acts.push('stop') };
    },
    openCalls: () => opening,
  });
  receive({ kind: 'preview', preview: { format: 'csv', tasks: 1, links: 0, columns: null, first: [], leftOut: [] } });
  session.run({ under: null });
  receive({ kind: 'call', call: 1, event: 'batch:run', payload: { operations: [] }, options: {} });
  session.end();
  open({
    call: () => {
      acts.push('call');
      return new Promise(() => undefined);
    },
    source: () => Promise.reject(new Error('no source')),
    close: () => acts.push('close'),
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(acts).toEqual(['stop', 'close']);
});

test('[CON28] of several choices only the last counts, and nothing is imported before its preview', () => {
  const requests: FileRequest[] = [];
  let receive: (answer: FileAnswer) => void = () => undefined;
  const session = createImportSession({
    file: new File(['title,who\none,Ann\n'], 'one.csv'),
    startWorker({ received }) {
      receive = received;
      return { send: (request) => requests.push(request), stop: () => undefined };
    },
    openCalls: () => new Promise(() => undefined),
  });
  const preview = (tasks: number) =>
    receive({ kind: 'preview', preview: { format: 'csv', tasks, links: 0, columns: [], first: [], leftOut: [] } });
  preview(1);
  session.readTable({ dates: 'day-first' });
  session.readTable({ dates: 'day-first', columns: { who: 'assignee' } });
  session.run({ under: null });
  preview(2);
  expect(session.state()).toMatchObject({ kind: 'preview', isStale: true, preview: { tasks: 1 } });
  preview(3);
  const reading = { dates: 'day-first', columns: { who: 'assignee' } };
  expect(session.state()).toMatchObject({ kind: 'preview', isStale: false, preview: { tasks: 3 }, reading });
  session.run({ under: null });
  expect(requests.map(({ kind }) => kind)).toEqual(['read', 'read', 'read', 'import']);
  expect(requests[2]).toMatchObject({ format: null, reading });
  session.end();
});

test('[CON28 IO12] a stop ends the next part, and lets the calls pass that record the last one', async () => {
  const requests: FileRequest[] = [];
  const made: string[] = [];
  let receive: (answer: FileAnswer) => void = () => undefined;
  const session = createImportSession({
    file: new File(['title\none\n'], 'one.csv'),
    startWorker({ received }) {
      receive = received;
      return { send: (request) => requests.push(request), stop: () => undefined };
    },
    openCalls: () =>
      Promise.resolve({
        call: (event: string) => Promise.resolve(made.push(event)) as never,
        source: (method) => Promise.resolve(made.push(method)),
        close: () => undefined,
      }),
  });
  receive({ kind: 'preview', preview: { format: 'csv', tasks: 1, links: 0, columns: null, first: [], leftOut: [] } });
  session.run({ under: null });
  session.stop();
  receive({ kind: 'source-call', call: 1, method: 'store', args: [] });
  receive({ kind: 'call', call: 2, event: 'batch:undo', payload: { batchId: 'x' }, options: {} });
  receive({ kind: 'call', call: 3, event: 'batch:run', payload: { operations: [] }, options: {} });
  receive({ kind: 'source-call', call: 4, method: 'begin', args: [] });
  await new Promise((resolve) => setImmediate(resolve));
  expect(made.sort()).toEqual(['batch:undo', 'store']);
  const refusals = requests.filter(({ kind }) => kind === 'refusal');
  expect(refusals).toMatchObject([{ call: 3 }, { call: 4 }]);
  session.end();
});

test('[CON28 IO12] a file that lacks the earlier tasks is compared all the same if its user says so', () => {
  const requests: FileRequest[] = [];
  let receive: (answer: FileAnswer) => void = () => undefined;
  const session = createImportSession({
    file: new File(['title\none\n'], 'one.csv'),
    startWorker({ received }) {
      receive = received;
      return { send: (request) => requests.push(request), stop: () => undefined };
    },
    openCalls: () => new Promise(() => undefined),
  });
  receive({ kind: 'preview', preview: { format: 'csv', tasks: 1, links: 0, columns: null, first: [], leftOut: [] } });
  session.compare({ overwrite: true, remove: true });
  receive({ kind: 'failed', failure: { code: 'import.other_file', message: '', details: {}, place: [] } });
  session.acceptMismatch();
  const choices = { overwrite: true, remove: true, acceptMismatch: true };
  expect(requests.at(-1)).toEqual({ kind: 'update', choices, dryRun: true });
  receive({ kind: 'updated', report: { entries: [], changes: 1, isDry: true, choices } });
  session.update();
  expect(requests.at(-1)).toEqual({ kind: 'update', choices, dryRun: false });
  session.end();
});
