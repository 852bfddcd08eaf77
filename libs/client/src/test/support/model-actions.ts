// Random actions on a model graph, each one batch: changes by others and the reader, and changes of
// the reader's access.
import type { ModelLink, ModelNode, ModelState } from './model-graph.ts';
import type { ModelServer } from './model-server.ts';
import type { ModelChange } from './model-slices.ts';

/** Random numbers that choose the entities of an action. */
export interface Choice {
  readonly one: number;
  readonly other: number;
}

type Action = (server: ModelServer, choice: Choice) => void;

/** The number of first nodes that may be shared. */
const ROOTS = 4;

const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];
const activeNodes = ({ nodes }: ModelState) => [...nodes.values()].filter(({ inTrash }) => !inTrash);

function onNode(act: (node: ModelNode, state: ModelState) => ModelChange[], trashed = false): Action {
  return (server, { one }) => {
    const node = pick(
      [...server.state.nodes.values()].filter(({ inTrash }) => inTrash === trashed),
      one,
    );
    if (node !== undefined) server.commit((state) => act(node, state));
  };
}

function onLink(act: (link: ModelLink, state: ModelState) => ModelChange[], trashed = false): Action {
  return (server, { one }) => {
    const link = pick(
      [...server.state.links.values()].filter(({ inTrash }) => inTrash === trashed),
      one,
    );
    if (link !== undefined) server.commit((state) => act(link, state));
  };
}

export function changeNode(node: ModelNode, op: number, fields: Partial<ModelNode>): ModelChange {
  const before = {
    version: node.version,
    ...Object.fromEntries(Object.keys(fields).map((field) => [field, node[field as 'title']])),
  };
  Object.assign(node, fields, { version: node.version + 1 });
  return { kind: 'nodes', id: node.id, op, before, after: { version: node.version, ...fields } };
}

function changeLink(link: ModelLink, op: number, fields: Partial<ModelLink>): ModelChange {
  const before = { version: link.version };
  Object.assign(link, fields, { version: link.version + 1 });
  return { kind: 'links', id: link.id, op, before, after: { version: link.version, ...fields } };
}

export function addNode(state: ModelState, id: string, fields: Partial<ModelNode> = {}): ModelChange {
  state.nodes.set(id, { id, mine: false, title: '', status: 0, version: 1, inTrash: false, ...fields });
  return { kind: 'nodes', id, op: 0, before: null, after: {} };
}

function addLink(
  state: ModelState,
  link: Pick<ModelLink, 'id' | 'source' | 'target'> & Partial<ModelLink>,
): ModelChange {
  state.links.set(link.id, { mine: false, private: false, conveys: true, version: 1, inTrash: false, ...link });
  return { kind: 'links', id: link.id, op: 10, before: null, after: {} };
}

/** Trashes a node and all links on it (TRS1). */
export function trashNode(node: ModelNode, state: ModelState): ModelChange[] {
  const links = [...state.links.values()].filter(
    ({ source, target, inTrash }) => !inTrash && [source, target].includes(node.id),
  );
  return [changeNode(node, 3, { inTrash: true }), ...links.map((link) => changeLink(link, 12, { inTrash: true }))];
}

function areEndsActive({ source, target }: ModelLink, { nodes }: ModelState): boolean {
  return [source, target].every((id) => nodes.get(id)?.inTrash === false);
}

let edits = 0;

/** The actions by name. */
export const ACTIONS = {
  addMine: (server, { one }) => {
    const id = server.newId('n');
    server.commit((state) => [addNode(state, id, { mine: one % 3 === 0 })]);
  },
  /** A child of another node, of the same owner or another one. */
  addChild: (server, { one, other }) => {
    const parent = pick(activeNodes(server.state), one);
    if (parent === undefined) return;
    const [id, link] = [server.newId('n'), server.newId('l')];
    const mine = other % 4 === 0 ? !parent.mine : parent.mine;
    server.commit((state) => [
      addNode(state, id, { mine }),
      addLink(state, { id: link, source: id, target: parent.id }),
    ]);
  },
  update: onNode((node) => [changeNode(node, 1, { title: `title ${++edits}` })]),
  updateMany: (server, { one, other }) => {
    const nodes = activeNodes(server.state).slice(one % 5, (one % 5) + (other % 6));
    if (nodes.length > 0)
      server.commit(() => nodes.map((node) => changeNode(node, 2, { status: (node.status + 1) % 4 })));
  },
  trash: onNode(trashNode),
  restore: onNode((node, state) => {
    const changes = [changeNode(node, 4, { inTrash: false })];
    const links = [...state.links.values()].filter(
      (link) => link.inTrash && [link.source, link.target].includes(node.id),
    );
    return [
      ...changes,
      ...links.filter((link) => areEndsActive(link, state)).map((link) => changeLink(link, 13, { inTrash: false })),
    ];
  }, true),
  delete: onNode((node, { nodes, links, grants, others }) => {
    const gone = [...links.values()].filter(({ source, target }) => [source, target].includes(node.id));
    for (const { id } of gone) links.delete(id);
    nodes.delete(node.id);
    grants.delete(node.id);
    others.delete(node.id);
    const deletion = (kind: 'nodes' | 'links', id: string, op: number): ModelChange => ({
      kind,
      id,
      op,
      before: {},
      after: null,
    });
    return [...gone.map(({ id }) => deletion('links', id, 14)), deletion('nodes', node.id, 5)];
  }, true),
  link: (server, { one, other }) => {
    const nodes = activeNodes(server.state);
    const [source, target] = [pick(nodes, one), pick(nodes, other)];
    if (source === undefined || target === undefined || source === target) return;
    const id = server.newId('l');
    const kind = { private: one % 7 === 0, mine: other % 2 === 0, conveys: (one + other) % 3 !== 0 };
    server.commit((state) => [addLink(state, { id, source: source.id, target: target.id, ...kind })]);
  },
  trashLink: onLink((link) => [changeLink(link, 12, { inTrash: true })]),
  hideLink: onLink((link) => [changeLink(link, 11, { private: !link.private })]),
  /** Grants a node to the reader, or changes the grant. */
  grant: (server, { one, other }) => {
    const root = pick([...server.state.nodes.values()].filter(({ mine }) => !mine).slice(0, ROOTS), one);
    if (root === undefined || root.inTrash) return;
    const branch = other % 3 !== 0;
    server.commit(({ grants }) => {
      grants.set(root.id, { level: 1 + (other % 3), branch, showing: true });
      return [];
    });
  },
  revoke: (server, { one }) => {
    const root = pick([...server.state.grants.keys()], one);
    if (root === undefined) return;
    server.commit(({ grants }) => {
      grants.delete(root);
      return [];
    });
  },
  show: (server, { one }) => {
    const grant = pick([...server.state.grants.values()], one);
    if (grant === undefined) return;
    server.commit(() => {
      grant.showing = !grant.showing;
      return [];
    });
  },
  /** Another user begins or stops reading a branch. */
  shareOthers: (server, { one }) => {
    const root = pick([...server.state.nodes.values()].slice(0, ROOTS), one);
    if (root === undefined) return;
    server.commit(({ others }) => {
      if (!others.delete(root.id)) others.add(root.id);
      return [];
    });
  },
} as const satisfies Record<string, Action>;
export type ActionName = keyof typeof ACTIONS;
