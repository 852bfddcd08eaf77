// hooks listen: forwards changes to a server of the caller's own, signed like messages of a webhook.
// Rule: HOOK14.
import { randomUUID } from 'node:crypto';
import { connect } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { createForwarder, type Forwarded, newSecret } from '../hooks/forwarder.ts';
import { createSliceMessages } from '../hooks/slice-messages.ts';

interface ListenFlags {
  readonly forward: string;
  readonly events?: string;
}

export function addHookListen(hooks: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const { output } = context;
  hooks
    .command('listen')
    .description(
      'post changes, as they happen, to a server on this machine, signed like messages of a webhook; no due dates',
    )
    .requiredOption('--forward <url>', 'the address of the server, such as http://127.0.0.1:3000/hook', urlIn)
    .option('--events <types>', 'only these types, such as node.completed,link.*')
    .action(async ({ forward, events }: ListenFlags) => {
      const { url, token } = await context.account();
      const client = await connect({ url, token });
      const [hook, secret] = [randomUUID(), newSecret()];
      const report = (forwarded: Forwarded) => {
        if (globalOptions().json) output.json(forwarded);
        else output.line(lineOf(forwarded, context));
      };
      const forwarder = createForwarder({ url: forward, secret, hook, report });
      const messages = createSliceMessages(hook, events?.split(',').map((type) => type.trim()) ?? []);
      const short = (type: 'graph.reset' | 'hook.ping') => {
        forwarder.send({ type, timestamp: new Date().toISOString(), data: { hook } });
      };
      client.onDiff((slice) => {
        if (slice.reset) return short('graph.reset');
        const message = messages.of(slice);
        if (message !== null) forwarder.send(message);
      });
      client.onGap(() => short('graph.reset'));
      if (globalOptions().json) output.json({ secret });
      else output.line(`the secret is ${secret}`);
      output.note(`forwarding changes to ${forward}; Ctrl-C ends it`);
      short('hook.ping');
      await new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
      });
      client.close();
      await forwarder.idle();
    });
}

function urlIn(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new CliError('usage', '--forward is not a URL.', 'Write it as --forward http://127.0.0.1:3000/hook.');
}

function lineOf({ message, status, reason }: Forwarded, { output }: Context): string {
  const { paint } = output;
  const at = paint.dim(new Date().toLocaleTimeString());
  const events = message.type === 'graph.changed' ? message.data.events.map(({ type }) => type) : [];
  const types = [...new Set(events)].join(', ');
  return `${at}  ${message.type} ${types === '' ? '' : `(${types}) `}→ ${status ?? reason}`;
}
