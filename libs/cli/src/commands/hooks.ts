// hooks: webhooks, to which the service posts the changes that the signed-in user or one of their bots
// sees. Rules: HOOK1, BOT3.
import {
  momentText,
  type NewWebhook,
  type ReplayedWebhook,
  type Webhook,
  type WebhookDelivery,
} from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';
import { BOT, type BotFlag, botFields } from './bots.ts';

const PATH = '/api/hook';
const WEBHOOK = 'its name or its id';

export function addHookCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): Command {
  const hooks = program
    .command('hooks')
    .description('manage your webhooks, to which the service posts the changes that you see');
  addDefinitionCommands(hooks, context, globalOptions);
  addDeliveryCommands(hooks, context, globalOptions);
  return hooks;
}

interface WebhookFlags {
  readonly name?: string;
  readonly root?: string;
  readonly events?: string;
  readonly where?: string;
}

function addDefinitionCommands(hooks: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const showSecret = (created: NewWebhook) => {
    context.output.note('The service shows this secret only once. It signs the messages.');
    context.show(globalOptions(), created, () => [created.secret]);
  };
  hooks
    .command('list', { isDefault: true })
    .description('list your webhooks')
    .option(...BOT)
    .action(async (flags: BotFlag) => {
      const all = await webhooksOf(context, await botFields(context, flags));
      const { columns, paint } = context.output;
      context.show(globalOptions(), all, () => {
        if (all.length === 0) return [paint.dim('There are no webhooks.')];
        const rows = all.map((hook) => [hook.name, hook.url, stateOf(hook), timeOf(hook.lastSuccess)]);
        return tableOf(rows, {
          heads: ['webhook', 'address', 'state', 'last success'],
          columns,
          paintHead: paint.bold,
        });
      });
    });
  hooks
    .command('add')
    .description('add a webhook and print its secret')
    .argument('<url>', 'the address of the receiver')
    .option('--name <name>', 'its name; without it, the host of the address')
    .option('--root <node>', 'only the branch of this node')
    .option('--events <types>', 'only these types, such as node.completed,link.*')
    .option('--where <json>', 'conditions as node:find takes them, such as {"assignee": ["me"]}')
    .action(async (url: string, { name, root, events, where }: WebhookFlags) => {
      const body = {
        url,
        name,
        root: root === undefined ? undefined : (await context.node(root)).id,
        events: events?.split(',').map((type) => type.trim()),
        where: where === undefined ? undefined : conditionsIn(where),
      };
      showSecret(await context.request<NewWebhook>('POST', PATH, body));
    });
  hooks
    .command('rotate')
    .description('give a webhook another secret and print it')
    .argument('<webhook>', WEBHOOK)
    .option('--overlap <hours>', 'how long the present secret signs too', hoursIn)
    .action(async (words: string, { overlap }: { readonly overlap?: number }) => {
      const { id } = await webhookNamed(context, words);
      showSecret(await context.request<NewWebhook>('POST', `${PATH}/rotate`, { id, overlap }));
    });
  for (const [command, enabled, says] of [
    ['enable', true, 'let a webhook continue where it ended'],
    ['disable', false, 'stop a webhook'],
  ] as const) {
    hooks
      .command(command)
      .description(says)
      .argument('<webhook>', WEBHOOK)
      .option(...BOT)
      .action(async (words: string, flags: BotFlag) => {
        const of = await botFields(context, flags);
        const { id, name } = await webhookNamed(context, words, of);
        const { hook } = await context.request<{ hook: Webhook }>('PUT', PATH, { id, enabled, ...of });
        context.show(globalOptions(), hook, () => [`${name} is ${stateOf(hook)}`]);
      });
  }
  hooks
    .command('delete')
    .description('delete a webhook')
    .argument('<webhook>', WEBHOOK)
    .option(...BOT)
    .action(async (words: string, flags: BotFlag) => {
      const of = await botFields(context, flags);
      const { id, name } = await webhookNamed(context, words, of);
      await context.request('DELETE', PATH, { id, ...of });
      context.show(globalOptions(), { id, deleted: true }, () => [`deleted ${name}`]);
    });
}

function addDeliveryCommands(hooks: Command, context: Context, globalOptions: () => GlobalOptions): void {
  hooks
    .command('log')
    .description('list the last attempts of a webhook, newest first')
    .argument('<webhook>', WEBHOOK)
    .option(...BOT)
    .action(async (words: string, flags: BotFlag) => {
      const of = await botFields(context, flags);
      const { id } = await webhookNamed(context, words, of);
      const all = await deliveriesOf(context, { id, ...of });
      const { columns, paint } = context.output;
      context.show(globalOptions(), all, () => {
        if (all.length === 0) return [paint.dim('There were no attempts in the last days.')];
        const rows = all.map(({ time, type, attempt, outcome, status, durationMs }) => [
          momentText(time),
          type,
          String(attempt),
          status === null ? outcome : `${outcome} (${status})`,
          `${durationMs} ms`,
        ]);
        const heads = ['time', 'message', 'attempt', 'outcome', 'took'];
        return tableOf(rows, { heads, columns, paintHead: paint.bold });
      });
    });
  hooks
    .command('test')
    .description('send a hook.ping to a webhook; log lists the attempt')
    .argument('<webhook>', WEBHOOK)
    .action(async (words: string) => {
      const { id, name } = await webhookNamed(context, words);
      await context.request('POST', `${PATH}/test`, { id });
      context.show(globalOptions(), { id, requested: true }, () => [`a hook.ping to ${name} is on its way`]);
    });
  hooks
    .command('replay')
    .description('send the changes since a time again')
    .argument('<webhook>', WEBHOOK)
    .requiredOption('--since <time>', 'such as 2026-12-01T08:00:00Z')
    .action(async (words: string, { since }: { readonly since: string }) => {
      const { id, name } = await webhookNamed(context, words);
      const replayed = await context.request<ReplayedWebhook>('POST', `${PATH}/replay`, { id, since });
      if (replayed.truncated) context.output.note('There were more changes since then: the replay starts later.');
      context.show(globalOptions(), replayed.hook, () => [`${name} receives the changes since ${since} again`]);
    });
}

function stateOf({ state, reason }: Webhook): string {
  return reason === null ? state : `${state} (${reason})`;
}

function timeOf(time: string | null): string {
  return time === null ? '' : momentText(time);
}

function hoursIn(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new CliError('usage', '--overlap is a number of hours.', 'Write it as --overlap 24.');
}

function conditionsIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError('usage', '--where is not JSON.', `Write it as '{"assignee": ["me"]}'.`);
  }
}

async function webhooksOf(context: Context, of: BotFlag): Promise<readonly Webhook[]> {
  return (await context.request<{ readonly hooks: readonly Webhook[] }>('GET', PATH, of)).hooks;
}

async function deliveriesOf(
  context: Context,
  query: BotFlag & { readonly id: string },
): Promise<readonly WebhookDelivery[]> {
  const path = `${PATH}/deliveries`;
  return (await context.request<{ readonly deliveries: readonly WebhookDelivery[] }>('GET', path, query)).deliveries;
}

/** The one webhook that the words name. */
async function webhookNamed(context: Context, words: string, of: BotFlag = {}): Promise<Webhook> {
  const found = (await webhooksOf(context, of)).filter(({ id, name }) => id === words || name === words);
  const [webhook, ...others] = found;
  if (webhook === undefined) {
    throw new CliError('notFound', `There is no webhook ${words}.`, 'taskgraph hooks lists them.');
  }
  if (others.length === 0) return webhook;
  const hint = 'Give the id: taskgraph hooks --json';
  throw new CliError('usage', `${found.length} webhooks are named ${words}.`, hint);
}
