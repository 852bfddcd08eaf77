// tokens: the API tokens of the signed-in user or of one of their bots. They need a session. Rules:
// AUTH2, SCOPE1, BOT2.
import { type ApiToken, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';
import { endFlag } from '../service/times.ts';
import { BOT, type BotFlag, botFields } from './bots.ts';

interface TokenFlags extends BotFlag {
  readonly scopes?: string;
  readonly until?: string;
}

interface NewToken {
  readonly token: ApiToken;
  readonly plaintext: string;
}

const PATH = '/api/token';

export function addTokenCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const tokens = program.command('tokens').description('manage the API tokens of your account and of your bots');
  const showNew = (created: NewToken) => {
    context.output.note('The service shows this token only once.');
    context.show(globalOptions(), created, () => [created.plaintext]);
  };
  tokens
    .command('list', { isDefault: true })
    .description('list the tokens')
    .option(...BOT)
    .action(async (flags: BotFlag) => {
      const all = await tokensOf(context, await botFields(context, flags));
      const { columns, paint } = context.output;
      context.show(globalOptions(), all, () => {
        if (all.length === 0) return [paint.dim('There are no tokens.')];
        const rows = all.map(({ prefix, name, scopes, expires, lastUsed }) => [
          prefix,
          name,
          scopes.join(','),
          expires === null ? '' : momentText(expires),
          lastUsed === null ? '' : momentText(lastUsed),
        ]);
        const heads = ['token', 'name', 'scopes', 'until', 'last used'];
        return tableOf(rows, { heads, columns, paintHead: paint.bold });
      });
    });
  tokens
    .command('create')
    .description('create a token and print it')
    .argument('[name]', 'a name to recognize it by', '')
    .option('--scopes <scopes>', 'such as read,edit; there are read, edit, link, trash, share and delete; default all')
    .option('--until <time>', 'the end, such as 2026-12-24; of a bot at most 365 days from now')
    .option(...BOT)
    .action(async (name: string, { scopes, until, bot }: TokenFlags) => {
      const body = {
        name,
        ...(await botFields(context, bot === undefined ? {} : { bot })),
        ...(scopes === undefined ? {} : { scopes: scopes.split(',').map((scope) => scope.trim()) }),
        ...(until === undefined ? {} : { expires: endFlag(until) }),
      };
      showNew(await context.request<NewToken>('POST', PATH, body));
    });
  tokens
    .command('rotate')
    .description('replace a token by a new one with the same name, scopes and end')
    .argument('<token>', 'its name, its id or its beginning')
    .option(...BOT)
    .action(async (reference: string, flags: BotFlag) => {
      const of = await botFields(context, flags);
      const { id } = await tokenNamed(context, reference, of);
      showNew(await context.request<NewToken>('POST', `${PATH}/rotate`, { id, ...of }));
    });
  tokens
    .command('revoke')
    .description('end a token')
    .argument('<token>', 'its name, its id or its beginning')
    .option(...BOT)
    .action(async (reference: string, flags: BotFlag) => {
      const of = await botFields(context, flags);
      const { id, name, prefix } = await tokenNamed(context, reference, of);
      await context.request('DELETE', PATH, { id, ...of });
      context.show(globalOptions(), { id, revoked: true }, () => [`revoked ${prefix} ${name}`.trimEnd()]);
    });
}

async function tokensOf(context: Context, of: BotFlag): Promise<readonly ApiToken[]> {
  return (await context.request<{ readonly tokens: readonly ApiToken[] }>('GET', PATH, of)).tokens;
}

/** The one token that the words name. */
async function tokenNamed(context: Context, reference: string, of: BotFlag): Promise<ApiToken> {
  const found = (await tokensOf(context, of)).filter(
    ({ id, name, prefix }) => id === reference || name === reference || prefix === reference,
  );
  const [token, ...others] = found;
  if (token === undefined)
    throw new CliError('notFound', `There is no token ${reference}.`, 'taskgraph tokens lists them.');
  if (others.length === 0) return token;
  throw new CliError('usage', `${found.length} tokens are named ${reference}.`, 'Give the id: taskgraph tokens --json');
}
