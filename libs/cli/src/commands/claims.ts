// claim, claim renew and claim release: take a ready node for some time. Rules: CLAIM1 to CLAIM4.
import { type Calls, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { conditionsIn } from '../service/conditions.ts';
import { execute } from './node-changes.ts';

interface ClaimFlags {
  readonly root?: string;
  readonly where?: string;
  readonly lease?: string;
}

const LEASE = 'minutes until the claim ends, 1 to 1440 (default: 30)';

export function addClaimCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const claim = program
    .command('claim')
    .description('claim a node for some time: the first one that is ready and free, or the given one')
    .argument('[node...]', 'the node')
    .option('--root <node>', 'only the branch of this node')
    .option('--where <json>', 'conditions as node:find takes them, such as {"tag": ["docs"]}')
    .option('--lease <minutes>', LEASE)
    .action(async (words: string[], flags: ClaimFlags) => {
      const payload = await payloadOf(context, words, flags);
      const { node, claimId } = await context.call('node:claim', payload);
      const { paint } = context.output;
      context.show(globalOptions(), { node, claimId }, () => {
        if (node === null) return [paint.dim('There is nothing to claim.')];
        const until = node.claimUntil == null ? '' : ` until ${momentText(node.claimUntil)}`;
        return [`${paint.cyan(node.id)} ${node.title}`, `claim ${claimId}${until}`];
      });
    });
  claim
    .command('renew')
    .description('set when your claim ends, counted from now')
    .argument('<node>', 'the node')
    .argument('<claim>', 'the id of the claim')
    .option('--lease <minutes>', LEASE)
    .action(async (words: string, claimId: string, flags: ClaimFlags) => {
      const { id } = await context.node(words);
      await execute(context, globalOptions(), 'node:claim:renew', { id, claimId, ...leaseIn(flags) });
    });
  claim
    .command('release')
    .description('end a claim without completing the node')
    .argument('<node>', 'the node')
    .argument('[claim]', 'the id of the claim; without it, any claim is ended')
    .action(async (words: string, claimId?: string) => {
      const { id } = await context.node(words);
      await execute(context, globalOptions(), 'node:claim:release', {
        id,
        ...(claimId === undefined ? {} : { claimId }),
      });
    });
}

async function payloadOf(
  context: Context,
  words: readonly string[],
  flags: ClaimFlags,
): Promise<Calls['node:claim']['payload']> {
  const { root, where } = flags;
  if (words.length > 0) {
    if (root !== undefined || where !== undefined)
      throw new CliError('usage', '--root and --where choose a node, and you named one.', 'Leave one of them out.');
    return { id: (await context.node(words.join(' '))).id, ...leaseIn(flags) };
  }
  return {
    ...(root === undefined ? {} : { root: (await context.node(root)).id }),
    ...(where === undefined ? {} : { where: conditionsIn(where) }),
    ...leaseIn(flags),
  };
}

function leaseIn({ lease }: ClaimFlags): { lease?: number } {
  if (lease === undefined) return {};
  const minutes = Number(lease);
  if (Number.isSafeInteger(minutes)) return { lease: minutes };
  throw new CliError('usage', `${lease} is not a number of minutes.`, 'Give a whole number from 1 to 1440.');
}
