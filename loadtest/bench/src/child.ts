// The program of a client process. It opens the kind of client that its argument names, and runs
// one act for each message.

import { openPlainServer } from './baseline/plain-server.ts';
import { openPollServer } from './baseline/poll-server.ts';
import { openBaselineReaders } from './baseline/readers.ts';
import { openBaselineWriters } from './baseline/writers.ts';
import { openOurReaders } from './clients/our-readers.ts';
import { openOurWriters } from './clients/our-writers.ts';
import { openPlanMakers } from './clients/plan-makers.ts';
import { openPollers } from './clients/pollers.ts';
import { type ActRequest, type ActResponse, type Acts, BEGIN } from './clients/process.ts';
import { openHookReceivers } from './receivers/hook-receivers.ts';
import { openListeners } from './sockets/listeners.ts';
import { openOverloadClients } from './sockets/overload-clients.ts';
import { openUpdateSender } from './sockets/update-sender.ts';

type Open = (options: never) => Promise<Acts<object>>;

const KINDS: Readonly<Record<string, Open>> = {
  'our-writers': openOurWriters,
  'baseline-writers': openBaselineWriters,
  'our-readers': openOurReaders,
  'baseline-readers': openBaselineReaders,
  'plain-server': openPlainServer,
  'poll-server': openPollServer,
  pollers: openPollers,
  'hook-receivers': openHookReceivers,
  'plan-makers': openPlanMakers,
  listeners: openListeners,
  'overload-clients': openOverloadClients,
  'update-sender': openUpdateSender,
};

let acts: Record<string, (input: unknown) => Promise<unknown>> = {};

async function runAct({ act, input }: ActRequest): Promise<unknown> {
  if (act !== BEGIN) {
    if (acts[act] === undefined) throw new Error(`unknown act: ${act}`);
    return await acts[act](input);
  }
  const open = KINDS[process.argv[2] ?? ''];
  if (open === undefined) throw new Error(`unknown kind of client: ${process.argv[2]}`);
  acts = (await open(input as never)) as typeof acts;
  return undefined;
}

process.on('message', (request: ActRequest) => {
  const { number } = request;
  runAct(request).then(
    (value) => process.send?.({ number, value } satisfies ActResponse),
    (error: unknown) => process.send?.({ number, error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
