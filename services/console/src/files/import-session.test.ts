import { expect, test } from 'vitest';
import type { FileAnswer } from '../transfer/file-messages.ts';
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
  receive({ kind: 'preview', preview: { format: 'csv', tasks: 1, links: 0, first: [], leftOut: [] } });
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
