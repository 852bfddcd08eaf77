// share and publish: who else reads.
import { type Calls, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, Shared } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';
import { endFlag } from '../service/times.ts';
import { change } from './changing.ts';

const LEVELS: readonly string[] = ['admin', 'editor', 'viewer'];

interface Options {
  readonly level: string;
  readonly until?: string;
  readonly only?: boolean;
  readonly end?: boolean;
}

export function addSharingCommands(program: Command, context: Context, shared: () => Shared): void {
  program
    .command('share')
    .description('share a node and everything below it, or list its grants')
    .argument('<node>', 'the node')
    .argument('[email]', 'the e-mail address of the grantee')
    .option('--level <level>', 'admin, editor or viewer', 'viewer')
    .option('--until <time>', 'the end, such as 2026-12-24')
    .option('--only', 'only the node, not the nodes below it')
    .option('--end', 'end the grant')
    .action(async (words: string, email: string | undefined, options: Options) => {
      const { id } = await context.node(words);
      if (email === undefined) return listGrants(context, shared(), id);
      if (options.end) return change(context, shared(), 'node:access:delete', { id, email });
      const level = LEVELS.indexOf(options.level) + 1;
      if (level === 0)
        throw new CliError('usage', `There is no level ${options.level}.`, `It is one of ${LEVELS.join(', ')}.`);
      await change(context, shared(), 'node:access', { id, email, level, branch: !options.only, ...until(options) });
    });
  program
    .command('publish')
    .description('publish a node and everything below it under a secret address')
    .argument('<node>', 'the node')
    .option('--until <time>', 'the end, such as 2026-12-24')
    .option('--only', 'only the node, not the nodes below it')
    .option('--end', 'end the publication')
    .action(async (words: string, options: Options) => {
      const { id } = await context.node(words);
      if (options.end) return change(context, shared(), 'node:unpublish', { id });
      const { diff } = await context.call('node:publish', { id, branch: !options.only, ...until(options) });
      const token = diff.nodes[0]?.after.publicToken ?? '';
      const address = new URL(`/api/branch?root=${encodeURIComponent(token)}`, (await context.account()).url).href;
      context.show(shared(), { publicToken: token, url: address, diff }, () => [address]);
    });
}

function until({ until: text }: Options): { due?: string | null } {
  return text === undefined ? {} : { due: endFlag(text) };
}

async function listGrants(context: Context, shared: Shared, id: string): Promise<void> {
  const { columns, paint } = context.output;
  const grants: Calls['node:access:list']['answer']['grants'] = [];
  let after: string | undefined;
  do {
    const page = await context.call('node:access:list', { id, ...(after === undefined ? {} : { after }) });
    grants.push(...page.grants);
    after = page.hasMore ? page.next : undefined;
  } while (after !== undefined);
  context.show(shared, grants, () => {
    if (grants.length === 0) return [paint.dim('It is shared with nobody.')];
    const rows = grants.map(({ email, level, due, branch }) => [
      email,
      LEVELS[level - 1] ?? '',
      branch ? 'branch' : 'node',
      due === null ? '' : momentText(due),
    ]);
    return tableOf(rows, { heads: ['e-mail', 'level', 'of the', 'until'], columns, paintHead: paint.bold });
  });
}
