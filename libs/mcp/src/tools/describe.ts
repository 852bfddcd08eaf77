// describe: the calls of the service and their fields.
import { object, text } from '../input-schema.ts';
import { pageOfLines, pageOfText } from '../lines.ts';
import { modelJson } from '../model-text.ts';
import { type DescribedCall, type ToolContext, ToolFailure } from '../service.ts';
import { MORE } from '../shared-arguments.ts';
import { defineTool } from '../tool.ts';

interface DescriptionRequest {
  readonly event?: string;
  readonly more?: string;
}

export const describe = defineTool<DescriptionRequest>({
  name: 'describe',
  description:
    'Lists all calls of the service, for sharing, publishing, the trash and more. With event: describes one, for the tool call.',
  effect: 'reads',
  input: object({ event: text('Such as node:access.'), more: MORE }),
  async run({ event, more }, context) {
    if (event === undefined) return pageOfLines(available(context).map(summaryOf), more);
    const { summary, description, changes, codes, fields } = callNamed(context, event);
    const lines = [
      summary,
      description,
      changes ? 'It changes something.' : 'It only reads.',
      `Codes of refusals: ${codes.join(', ')}`,
      `Payload: ${modelJson(fields)}`,
    ];
    return pageOfText(lines.join('\n'), more);
  },
});

/** The calls that this server makes. */
function available({ catalog, canWrite }: ToolContext): DescribedCall[] {
  return catalog.filter(({ changes }) => canWrite || !changes);
}

function summaryOf({ event, changes, summary }: DescribedCall): string {
  return `${event} ${changes ? '(changes) ' : ''}${summary}`;
}

/** The call of an event. Throws a ToolFailure if this server does not make it. */
export function callNamed(context: ToolContext, event: string): DescribedCall {
  const found = context.catalog.find((each) => each.event === event);
  if (found === undefined) {
    const help = available(context).map((each) => each.event);
    throw new ToolFailure('not_found', 'There is no such call. There are:', { help: [help.join(', ')] });
  }
  if (found.changes && !context.canWrite) {
    throw new ToolFailure('forbidden.read_only', `This server only reads, and ${event} changes something.`);
  }
  return found;
}
