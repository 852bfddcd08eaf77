// mcp: the server for agents.
import type { Command } from 'commander';
import type { Context } from '../context.ts';

const NAME = `
Clients start it by a path, or as taskgraph if @taskgraph/cli is installed. The bare name taskgraph at npm belongs to someone else: never run it with npx.`;

export function addMcp(program: Command, context: Context): void {
  program
    .command('mcp')
    .description('serve agents over standard input and output with the Model Context Protocol')
    .addHelpText('after', NAME)
    .option('--write', 'allow changes; without it agents can only read')
    .action(async ({ write }: { write?: boolean }) => {
      // Loading the SDK doubles the start-up time, so only this command loads it.
      const { serveAgents } = await import('../mcp/server.ts');
      await serveAgents(context, { write: write === true });
    });
}
