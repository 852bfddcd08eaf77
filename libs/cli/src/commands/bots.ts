// bots: users without sign-in, for programs, which the signed-in user maintains. They need a
// session. Rules: BOT1, BOT2.
import type { Bot } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';

const PATH = '/api/bot';

export function addBotCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const bots = program.command('bots').description('manage your bots: users without sign-in, for programs');
  bots
    .command('list', { isDefault: true })
    .description('list your bots')
    .action(async () => {
      const all = await botsOf(context);
      const { columns, paint } = context.output;
      context.show(globalOptions(), all, () => {
        if (all.length === 0) return [paint.dim('There are no bots.')];
        const rows = all.map(({ name, email }) => [name, email]);
        return tableOf(rows, { heads: ['bot', 'address for grants'], columns, paintHead: paint.bold });
      });
    });
  bots
    .command('create')
    .description('create a bot and print its address; share nodes with this address')
    .argument('<name>', 'its user name, as history shows it')
    .action(async (name: string) => {
      const { bot } = await context.request<{ readonly bot: Bot }>('POST', PATH, { name });
      context.show(globalOptions(), bot, () => [bot.email]);
    });
  bots
    .command('remove')
    .description('remove a bot and end its tokens')
    .argument('<bot>', 'its name, its id or its address')
    .action(async (reference: string) => {
      const { id, name } = await botNamed(context, reference);
      await context.request('DELETE', PATH, { id });
      context.show(globalOptions(), { id, removed: true }, () => [`removed ${name}`]);
    });
}

async function botsOf(context: Context): Promise<readonly Bot[]> {
  return (await context.request<{ readonly bots: readonly Bot[] }>('GET', PATH)).bots;
}

/** The one bot that the words name. */
async function botNamed(context: Context, reference: string): Promise<Bot> {
  const found = (await botsOf(context)).filter(
    ({ id, name, email }) => id === reference || name === reference || email === reference.toLowerCase(),
  );
  const [bot, ...others] = found;
  if (bot === undefined) throw new CliError('notFound', `There is no bot ${reference}.`, 'taskgraph bots lists them.');
  if (others.length === 0) return bot;
  throw new CliError('usage', `${found.length} bots are named ${reference}.`, 'Give the address: taskgraph bots');
}

/** The option of a command for the tokens or webhooks of a bot. */
export const BOT = ['--bot <bot>', 'a bot, by its name, id or address'] as const;

export interface BotFlag {
  readonly bot?: string;
}

/** The field that names a bot; none without the option. */
export async function botFields(context: Context, { bot }: BotFlag): Promise<BotFlag> {
  return bot === undefined ? {} : { bot: (await botNamed(context, bot)).id };
}
