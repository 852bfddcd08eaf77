// share and publish: grants and publications.
import { type Calls, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';
import { endFlag } from '../service/times.ts';
import { execute } from './node-changes.ts';

const LEVELS: readonly string[] = ['admin', 'editor', 'viewer'];

interface ShareFlags {
  readonly level: string;
  readonly until?: string;
  readonly only?: boolean;
  readonly end?: boolean;
}

export function addShareCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  program
    .command('share')
    .description('share a node and everything below it, or list its grants')
    .argument('<node>', 'the node')
    .argument('[email]', 'the e-mail address of the grantee')
    .option('--level <level>', 'admin, editor or viewer', 'viewer')
    .option('--until <time>', 'the end, such as 2026-12-24')
    .option('--only', 'only the node, not the nodes below it')
    .option('--end', 'end the grant')
    .action(async (reference: string, email: string | undefined, options: ShareFlags) => {
      const { id } = await context.node(reference);
      if (email === undefined) return listGrants(context, globalOptions(), id);
      if (options.end) return execute(context, globalOptions(), 'node:access:delete', { id, email });
      const level = LEVELS.indexOf(options.level) + 1;
      if (level === 0)
        throw new CliError('usage', `There is no level ${options.level}.`, `It is one of ${LEVELS.join(', ')}.`);
      await execute(context, globalOptions(), 'node:access', {
        id,
        email,
        level,
        branch: !options.only,
        ...dueOf(options),
      });
    });
  program
    .command('publish')
    .description('publish a node and everything below it under a secret address')
    .argument('<node>', 'the node')
    .option('--until <time>', 'the end, such as 2026-12-24')
    .option('--only', 'only the node, not the nodes below it')
    .option('--end', 'end the publication')
    .action(async (reference: string, options: ShareFlags) => {
      const { id } = await context.node(reference);
      if (options.end) return execute(context, globalOptions(), 'node:unpublish', { id });
      const { diff } = await context.call('node:publish', { id, branch: !options.only, ...dueOf(options) });
      const token = diff.nodes[0]?.after.publicToken ?? '';
      const address = new URL(`/api/branch?root=${encodeURIComponent(token)}`, (await context.account()).url).href;
      context.show(globalOptions(), { publicToken: token, url: address, diff }, () => [address]);
    });
}

function dueOf({ until: text }: ShareFlags): { due?: string | null } {
  return text === undefined ? {} : { due: endFlag(text) };
}

async function listGrants(context: Context, globalOptions: GlobalOptions, id: string): Promise<void> {
  const { columns, paint } = context.output;
  const grants: Calls['node:access:list']['answer']['grants'] = [];
  let after: string | undefined;
  do {
    const page = await context.call('node:access:list', { id, ...(after === undefined ? {} : { after }) });
    grants.push(...page.grants);
    after = page.hasMore ? page.next : undefined;
  } while (after !== undefined);
  context.show(globalOptions, grants, () => {
    if (grants.length === 0) return [paint.dim('It has no grants.')];
    const rows = grants.map(({ email, level, due, branch }) => [
      email,
      LEVELS[level - 1] ?? '',
      branch ? 'branch' : 'node',
      due === null ? '' : momentText(due),
    ]);
    return tableOf(rows, { heads: ['e-mail', 'level', 'scope', 'until'], columns, paintHead: paint.bold });
  });
}
