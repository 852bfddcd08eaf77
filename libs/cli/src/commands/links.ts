// link, unlink and move: changes to links.
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { nodeIn } from '../graph/references.ts';
import { execute, executeInSequence } from './node-changes.ts';

export function addLinkCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  program
    .command('link')
    .description('link two nodes: the first blocks the second until it is completed')
    .argument('<source>', 'the node to complete first')
    .argument('<target>', 'the node that waits for it')
    .option('--soft', 'a link that does not block')
    .option('--private', 'a link that only its owner sees')
    .action(async (from: string, to: string, options: { soft?: boolean; private?: boolean }) => {
      const [source, target] = [(await context.node(from)).id, (await context.node(to)).id];
      const payload = { source, target, type: options.soft ? 1 : 0, private: options.private === true };
      await execute(context, globalOptions(), 'link:add', payload);
    });
  program
    .command('unlink')
    .description('move a link to the trash')
    .argument('<source>', 'the node that it leads from')
    .argument('<target>', 'the node that it leads to')
    .action(async (from: string, to: string) => {
      const graph = await context.graph();
      const [source, target] = [nodeIn(graph, from), nodeIn(graph, to)];
      const links = graph.linksFrom(source.id).filter((link) => link.target === target.id);
      if (links.length === 0) {
        const remedy = `List its links: taskgraph show ${source.id}`;
        throw new CliError('notFound', `No link leads from "${source.title}" to "${target.title}".`, remedy);
      }
      await executeInSequence(context, globalOptions(), links, ({ id }) => context.call('link:trash', { id }));
    });
  program
    .command('move')
    .description('move a node below another one, away from its present parents')
    .argument('<node>', 'the node')
    .argument('[parent]', 'the new parent')
    .option('--top', 'no parent')
    .action(async (words: string, parentWords: string | undefined, { top }: { top?: boolean }) => {
      if ((parentWords === undefined) !== (top === true)) {
        throw new CliError('usage', 'The command needs either a parent or --top.', 'Name the parent, or give --top.');
      }
      const graph = await context.graph();
      const node = nodeIn(graph, words);
      const parent = parentWords === undefined ? null : nodeIn(graph, parentWords);
      const before = graph.linksFrom(node.id);
      const old = before.filter(({ target }) => target !== parent?.id);
      const isThere = before.length > old.length;
      // Add the new link first: if the service rejects it, nothing has changed.
      const steps = [
        ...(parent === null || isThere ? [] : [() => context.call('link:add', { source: node.id, target: parent.id })]),
        ...old.map(
          ({ id }) =>
            () =>
              context.call('link:trash', { id }),
        ),
      ];
      await executeInSequence(context, globalOptions(), steps, (step) => step());
    });
}
