// call: any call of the service, for all that has no tool of its own.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { additionKey, makeChange } from '../changes.ts';
import { object, text } from '../input-schema.ts';
import { pageOfLines, pageOfText } from '../lines.ts';
import { modelJson } from '../model-text.ts';
import { isWholeId, resolveNodes } from '../references.ts';
import { type ToolContext, ToolFailure } from '../service.ts';
import { CONFIRM, MORE } from '../shared-arguments.ts';
import { defineTool, type Tool } from '../tool.ts';
import { callNamed } from './describe.ts';

/** Calls that only add. */
const ADDITIVE: ReadonlySet<string> = new Set(['node:add', 'link:add']);

/**
 * Calls with a tool of their own. The key of a confirmed change is a digest of its effect, so two
 * agents of one user that confirm the same claim would get one claim.
 */
const OF_CLAIM: ReadonlySet<string> = new Set(['node:claim', 'node:claim:renew', 'node:claim:release']);

/** No payload of the service has as many levels. Digests of payloads are made recursively. */
const MOST_LEVELS = 32;

interface CallRequest {
  readonly event: string;
  readonly payload?: string;
  readonly confirm?: string;
  readonly key?: string;
  readonly more?: string;
}

/** The tool of a server that reads makes reads only, and says so. */
export function callTool(canWrite: boolean): Tool {
  return defineTool<CallRequest>({
    name: 'call',
    description: canWrite
      ? 'Makes any call; describe it first. Reads answer JSON.'
      : 'Makes any call that reads; describe it first. Answers JSON.',
    effect: canWrite ? 'changes' : 'reads',
    input: object(
      {
        event: text(),
        payload: text('As JSON.'),
        ...(canWrite && { confirm: CONFIRM, key: text('Another one repeats an addition.') }),
        more: MORE,
      },
      'event',
    ),
    async run({ event, payload: json = '{}', confirm, key, more }, context) {
      const { changes } = callNamed(context, event);
      if (OF_CLAIM.has(event)) {
        throw new ToolFailure(
          'bad_request.invalid_arguments',
          `Use the tool claim: ${event} is no call for this tool.`,
        );
      }
      const payload = await withIds(context, event, parsePayload(json));
      if (!changes) {
        const answer = await context.service.call(event, context.withTimes(event, payload));
        return pageOfText(modelJson(answer), more);
      }
      if (Object.hasOwn(payload, 'dryRun')) {
        throw new ToolFailure('bad_request.invalid_arguments', 'Leave out dryRun: a change is tried first anyway.');
      }
      const isAdditive = isAddition(event, payload);
      // A second link between the same nodes is refused anyway.
      const addKey = isAdditive && event !== 'link:add' ? additionKey(context, payload, key) : undefined;
      const change = { event, payload, isAdditive, ...definedFields({ confirm, key: addKey }) };
      const { lines } = await makeChange(context, change);
      return pageOfLines(lines, undefined);
    },
  });
}

function parsePayload(json: string): Record<string, unknown> {
  const wrong = new ToolFailure('bad_request.invalid_arguments', 'The argument "payload" must be a JSON object.');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw wrong;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong;
  if (isDeeperThan(value, MOST_LEVELS)) {
    const message = `The argument "payload" can have at most ${MOST_LEVELS} levels of nested JSON.`;
    throw new ToolFailure('bad_request.invalid_arguments', message);
  }
  return value as Record<string, unknown>;
}

/** Whether a value has more than `levels` of lists and objects in each other. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1));
}

/** Whether a change only adds nodes and links. */
function isAddition(event: string, { operations }: Readonly<Record<string, unknown>>): boolean {
  if (event !== 'batch:run') return ADDITIVE.has(event);
  if (!Array.isArray(operations)) return false;
  return operations.every((one: unknown) => isObject(one) && ADDITIVE.has(String(one.event)));
}

/** The payload with ids in place of other references to nodes, also in operations of a batch. */
async function withIds(
  context: ToolContext,
  event: string,
  payload: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { operations } = payload;
  const parts = [{ event, payload }, ...(Array.isArray(operations) ? operations.filter(isOperation) : [])];
  const references = parts.flatMap((part) => nodeFieldsIn(part.event, part.payload).map(({ reference }) => reference));
  const ids = await resolveNodes(context, references);
  const resolved = (part: Part) => {
    const fields = nodeFieldsIn(part.event, part.payload).map(({ name, reference }) => [name, ids.get(reference)]);
    return { ...part.payload, ...Object.fromEntries(fields) };
  };
  const whole = resolved({ event, payload });
  if (!Array.isArray(operations)) return whole;
  const inner = operations.map((one: unknown) => (isOperation(one) ? { ...one, payload: resolved(one) } : one));
  return { ...whole, operations: inner };
}

interface Part {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

function isOperation(one: unknown): one is Part {
  return isObject(one) && typeof one.event === 'string' && isObject(one.payload);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields that refer to nodes by something other than an id or a name of the batch. */
function nodeFieldsIn(event: string, payload: Part['payload']): { name: string; reference: string }[] {
  const names = [
    ...(event.startsWith('node:') ? ['id', 'target'] : []),
    ...(event === 'link:add' ? ['source', 'target'] : []),
    ...(event === 'graph:plan' || event === 'node:find' ? ['root'] : []),
    ...(payload.scopeType === 'NODE' || payload.scopeType === 'GRAPH' ? ['scopeId'] : []),
  ];
  return names.flatMap((name) => {
    const reference = payload[name];
    const isReference = typeof reference === 'string' && !reference.startsWith('$') && !isWholeId(reference);
    return isReference ? [{ name, reference }] : [];
  });
}
