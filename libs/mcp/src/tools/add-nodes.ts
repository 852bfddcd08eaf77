// add_nodes: several nodes with links among them, in one batch.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { additionKey, makeChange } from '../changes.ts';
import { choice, list, object, text } from '../input-schema.ts';
import { pageOfLines } from '../lines.ts';
import { resolveNodes } from '../references.ts';
import { type ToolContext, ToolFailure } from '../service.ts';
import { NODE, nodeFields, WRITTEN_FIELDS, type WrittenFields } from '../shared-arguments.ts';
import { defineTool } from '../tool.ts';
import { LINK_TYPES, type LinkTypeName, linkType } from './link-nodes.ts';

const MOST_NODES = 100;
const MOST_LINKS = 200;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

interface NewNode extends WrittenFields {
  readonly title: string;
  readonly name?: string;
  readonly under?: string;
}

interface NewLink {
  readonly source: string;
  readonly target: string;
  readonly type?: LinkTypeName;
}

interface Addition {
  readonly nodes: readonly NewNode[];
  readonly links?: readonly NewLink[];
  readonly key?: string;
}

export const addNodes = defineTool<Addition>({
  name: 'add_nodes',
  description:
    'Adds nodes and links, all or none. A node under another blocks it until completed. Refer to a new node by its name as $name, in under and links. The same call on the same day adds nothing twice.',
  effect: 'adds',
  input: object(
    {
      nodes: list(
        object(
          {
            title: text(),
            name: text('Within this call.'),
            under: NODE,
            ...WRITTEN_FIELDS,
          },
          'title',
        ),
        MOST_NODES,
      ),
      links: list(
        object(
          {
            source: NODE,
            target: NODE,
            type: choice(LINK_TYPES),
          },
          'source',
          'target',
        ),
        MOST_LINKS,
      ),
      key: text('Another one adds the same once more.'),
    },
    'nodes',
  ),
  async run({ nodes, links = [], key }, context) {
    const names = namesOf(nodes);
    const references = [...nodes.map(({ under }) => under), ...links.flatMap(({ source, target }) => [source, target])];
    const idOf = await referenceReader(context, references, names);
    const ordered = parentsFirst(nodes);
    const operations = [
      ...ordered.map(({ name, under, ...fields }) => ({
        event: 'node:add',
        payload: { ...nodeFields(fields), ...(under === undefined ? {} : { target: idOf(under) }) },
        ...definedFields({ as: name }),
      })),
      ...links.map(({ source, target, type }) => ({
        event: 'link:add',
        payload: { source: idOf(source), target: idOf(target), type: linkType(type) },
      })),
    ];
    const payload = { operations };
    const result = await makeChange(context, {
      event: 'batch:run',
      payload,
      isAdditive: true,
      key: additionKey(context, payload, key),
    });
    const added = result.isDone ? (result.body.results as readonly { readonly id?: string }[]) : [];
    const named = ordered.flatMap(({ name }, index) =>
      name === undefined ? [] : [`$${name} is ${added[index]?.id ?? ''}`],
    );
    return pageOfLines([...result.lines, ...named], undefined);
  },
});

/** The names of new nodes. Throws a ToolFailure if one is no name or is given twice. */
function namesOf(nodes: readonly NewNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { name } of nodes) {
    if (name === undefined) continue;
    if (!NAME.test(name))
      throw wrong(`The name ${JSON.stringify(name.slice(0, 100))} must be letters, digits, - and _.`);
    if (names.has(name)) throw wrong(`The name ${name} is given twice.`);
    names.add(name);
  }
  return names;
}

/** Returns the id or `$name` that the service takes for a reference. */
async function referenceReader(
  context: ToolContext,
  references: readonly (string | undefined)[],
  names: ReadonlySet<string>,
): Promise<(reference: string) => string> {
  const given = references.filter((each) => each !== undefined);
  for (const reference of given) {
    if (reference.startsWith('$') && !names.has(reference.slice(1))) {
      const known = [...names].map((name) => `$${name}`).join(', ');
      throw wrong(
        `No node of this call has the name ${JSON.stringify(reference.slice(0, 100))}. Names: ${known || 'none'}.`,
      );
    }
  }
  const ids = await resolveNodes(
    context,
    given.filter((each) => !each.startsWith('$')),
  );
  return (reference) => ids.get(reference) ?? reference;
}

/** The nodes, each after its parent. */
function parentsFirst(nodes: readonly NewNode[]): NewNode[] {
  const byName = new Map(nodes.map((node) => [`$${node.name ?? ''}`, node]));
  const ordered = new Set<NewNode>();
  const open = new Set<NewNode>();
  const add = (node: NewNode) => {
    if (ordered.has(node)) return;
    if (open.has(node)) throw wrong(`The node ${JSON.stringify(node.name)} would be below itself.`);
    open.add(node);
    const parent = node.under === undefined ? undefined : byName.get(node.under);
    if (parent !== undefined) add(parent);
    ordered.add(node);
  };
  for (const node of nodes) add(node);
  return [...ordered];
}

function wrong(message: string): ToolFailure {
  return new ToolFailure('bad_request.invalid_arguments', message);
}
