// export: writes the graph or a branch as a file. Rules: IO3, IO5.
import { writeFile as writeOut } from 'node:fs/promises';
import { branchOf, EXPORT_FORMATS, type ExportFormat, exportGraph, writeFile } from '@taskgraph/client/transfer';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { nodeIn } from '../graph/references.ts';
import { noteLosses } from '../output/losses.ts';
import { formatNamed } from '../service/file-formats.ts';

export function addExport(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  program
    .command('export')
    .description('export your whole graph, or a node with everything below it')
    .argument('[node...]', 'the node')
    .option('--format <format>', `one of ${EXPORT_FORMATS.join(', ')}`, 'taskgraph')
    .option('--output <file>', 'the file; without it standard output')
    .action(async (words: string[], { format, output: path }: { format: string; output?: string }) => {
      const chosen = formatNamed(format, EXPORT_FORMATS);
      const graph = await context.graph();
      const all = { nodes: graph.nodes.values(), links: graph.links.values() };
      const content = words.length === 0 ? all : branchOf(all, nodeIn(graph, words.join(' ')).id);
      const whole = exportGraph(content);
      const { text, leftOut } = writeFile(whole, chosen as ExportFormat, {
        now: new Date().toISOString(),
        ids: whole.ids,
      });
      if (path !== undefined) await writeOut(path, text);
      if (!globalOptions().json) noteLosses(context.output, leftOut);
      const value = { format: chosen, nodes: whole.nodes.length, links: whole.links.length, leftOut };
      const line = `${path}: ${whole.nodes.length} tasks, ${whole.links.length} links`;
      if (globalOptions().json) context.output.json(path === undefined ? { ...value, text } : value, 2);
      // The output adds the last line break.
      else if (path === undefined) context.output.text(text.replace(/\n$/, ''));
      else context.output.line(line);
    });
}
