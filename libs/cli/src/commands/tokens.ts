// tokens: the API tokens of the signed-in user. They need a session. Rules: AUTH2, SCOPE1.
import { type ApiToken, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';
import { endFlag } from '../service/times.ts';

interface TokenFlags {
  readonly may?: string;
  readonly until?: string;
}

interface NewToken {
  readonly token: ApiToken;
  readonly plaintext: string;
}

const PATH = '/api/token';

export function addTokenCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const tokens = program.command('tokens').description('manage the API tokens of your account');
  const showNew = (created: NewToken) => {
    context.output.note('The service shows this token only once.');
    context.show(globalOptions(), created, () => [created.plaintext]);
  };
  tokens
    .command('list', { isDefault: true })
    .description('list your tokens')
    .action(async () => {
      const all = await tokensOf(context);
      const { columns, paint } = context.output;
      context.show(globalOptions(), all, () => {
        if (all.length === 0) return [paint.dim('There are no tokens.')];
        const rows = all.map(({ prefix, name, may, expires, lastUsed }) => [
          prefix,
          name,
          may.join(','),
          expires === null ? '' : momentText(expires),
          lastUsed === null ? '' : momentText(lastUsed),
        ]);
        return tableOf(rows, { heads: ['token', 'name', 'may', 'until', 'last used'], columns, paintHead: paint.bold });
      });
    });
  tokens
    .command('add')
    .description('create a token and print it')
    .argument('[name]', 'a name to recognize it by', '')
    .option('--may <scopes>', 'what it may do, such as read,edit: read, edit, link, trash, share, delete; default all')
    .option('--until <time>', 'the end, such as 2026-12-24')
    .action(async (name: string, { may, until }: TokenFlags) => {
      const body = {
        name,
        ...(may === undefined ? {} : { may: may.split(',').map((scope) => scope.trim()) }),
        ...(until === undefined ? {} : { expires: endFlag(until) }),
      };
      showNew(await context.request<NewToken>('POST', PATH, body));
    });
  tokens
    .command('rotate')
    .description('replace a token by a new one with the same name, scopes and end')
    .argument('<token>', 'its name, its id or its beginning')
    .action(async (words: string) => {
      const { id } = await tokenNamed(context, words);
      showNew(await context.request<NewToken>('POST', `${PATH}/rotate`, { id }));
    });
  tokens
    .command('revoke')
    .description('end a token')
    .argument('<token>', 'its name, its id or its beginning')
    .action(async (words: string) => {
      const { id, name, prefix } = await tokenNamed(context, words);
      await context.request('DELETE', PATH, { id });
      context.show(globalOptions(), { id, revoked: true }, () => [`revoked ${prefix} ${name}`.trimEnd()]);
    });
}

async function tokensOf(context: Context): Promise<readonly ApiToken[]> {
  return (await context.request<{ readonly tokens: readonly ApiToken[] }>('GET', PATH)).tokens;
}

/** The one token that the words name. */
async function tokenNamed(context: Context, words: string): Promise<ApiToken> {
  const found = (await tokensOf(context)).filter(
    ({ id, name, prefix }) => id === words || name === words || prefix === words,
  );
  const [token, ...others] = found;
  if (token === undefined)
    throw new CliError('notFound', `There is no token ${words}.`, 'taskgraph tokens lists them.');
  if (others.length === 0) return token;
  throw new CliError('usage', `${found.length} tokens are named ${words}.`, 'Give the id: taskgraph tokens --json');
}
