// Requests for rare situations: several hidden blockers, copies of grants that end, restorable
// links of others, paths around trashed nodes.
import { branchLevelOf, levelOf } from '../rules/access.ts';
import type { ModelLink, ModelNode, ModelUser } from '../state.ts';
import type { DrawContext, Step } from './step.ts';

/** The request; without an actor any user sends it. Null if the situation cannot be made now. */
export type Request = [event: string, payload: Record<string, unknown>, actor?: ModelUser | undefined] | null;

/** The kinds of steps, with their frequencies. */
export const ADVERSARIAL: Readonly<Record<string, number>> = {
  blocker: 4,
  blocked: 4,
  again: 2,
  between: 4,
  copy: 3,
  uncopy: 3,
  detour: 5,
  turn: 4,
};

export function adversarialRequest(step: Step, drawing: DrawContext): Request {
  switch (step.kind) {
    case 'blocker':
      return blocker(step, drawing);
    case 'blocked':
      return blocked(step, drawing);
    case 'between':
      return between(step, drawing);
    case 'copy':
      return copy(step, drawing);
    case 'turn':
      return turn(step, drawing);
    case 'uncopy':
      return uncopy(step, drawing);
    default:
      return detour(step, drawing);
  }
}

function at<T>(list: readonly T[], by: number): T | undefined {
  return list[by % Math.max(list.length, 1)];
}

const userOf = ({ users }: DrawContext, id: string | undefined) => users.find((user) => user.id === id);

/** A private primary link by the owner of both ends. It blocks although others do not see it. */
function blocker({ a, b }: Step, drawing: DrawContext): Request {
  const target = at(
    drawing.state.nodes.filter(({ inTrash, independent }) => !inTrash && !independent),
    b % 3,
  );
  return target === undefined ? null : hiddenBlocker(target, a, drawing);
}

function hiddenBlocker({ id: target, ownerId }: ModelNode, by: number, drawing: DrawContext): Request {
  const { nodes, links } = drawing.state;
  const isLinked = (id: string) =>
    links.some((link) => [link.source, link.target].includes(id) && [link.source, link.target].includes(target));
  const free = nodes.filter(
    (node) =>
      node.id !== target && node.ownerId === ownerId && !node.inTrash && node.status !== 3 && !isLinked(node.id),
  );
  const source = at(free, by);
  if (source === undefined) return null;
  return ['link:add', { source: source.id, target, private: true }, userOf(drawing, ownerId)];
}

/**
 * A status set by hand by an editor of a Blocked node who does not see two or more of its blockers;
 * or another blocker towards that situation.
 */
function blocked({ a, flag }: Step, drawing: DrawContext): Request {
  const { state, users, now } = drawing;
  const hidden = (node: ModelNode, user: ModelUser) =>
    state.links.filter(
      (link) => !link.inTrash && link.type === 0 && link.target === node.id && link.private && link.ownerId !== user.id,
    ).length;
  const pairs = state.nodes
    .filter(({ inTrash, independent }) => !inTrash && !independent)
    .flatMap((node) => users.map((user) => ({ node, user, count: hidden(node, user) })))
    .filter(({ node, user }) => node.ownerId !== user.id && (levelOf(state, user, node, now) ?? 9) <= 2)
    .sort((one, other) => other.count - one.count);
  const most = at(pairs.slice(0, 3), a);
  if (most === undefined) return null;
  if (most.count > 1) return ['node:update', { id: most.node.id, status: flag ? 1 : 3 }, most.user];
  return hiddenBlocker(most.node, a, drawing);
}

/** A link between the ends of a trashed one, by a user other than its owner who may restore it. */
function between({ a, flag, c }: Step, drawing: DrawContext): Request {
  const trashed = drawing.state.links.filter((link) => link.inTrash && editorOf(link, drawing) !== undefined);
  const hidden = trashed.filter((link) => link.private);
  if (hidden.length === 0 && c % 2 === 0) return hide({ a }, drawing);
  const shown = trashed.filter((link) => !link.private);
  const link = at(hidden.length > 0 && c % 4 !== 0 ? hidden : shown, a);
  if (link === undefined) return discard({ a }, drawing);
  const ends = flag ? { source: link.source, target: link.target } : { source: link.target, target: link.source };
  // To be restored, another user's public link would have to become private.
  return ['link:add', { ...ends, ...(!link.private && c % 3 !== 0 && { private: true }) }, editorOf(link, drawing)];
}

/** Trashes a public link between nodes that another user edits. */
function discard({ a }: Pick<Step, 'a'>, drawing: DrawContext): Request {
  const shown = drawing.state.links.filter(
    (link) => !link.inTrash && !link.private && editorOf(link, drawing) !== undefined,
  );
  const link = at(shown, a);
  return link === undefined ? null : ['link:trash', { id: link.id }, userOf(drawing, link.ownerId)];
}

/**
 * A step towards a trashed private link between nodes that another user edits: trashes one, or
 * hides one.
 */
function hide({ a }: Pick<Step, 'a'>, drawing: DrawContext): Request {
  const active = drawing.state.links.filter((link) => !link.inTrash && editorOf(link, drawing) !== undefined);
  const hidden = active.filter((link) => link.private);
  const link = at(hidden.length > 0 ? hidden : active, a);
  if (link === undefined) return null;
  const owner = userOf(drawing, link.ownerId);
  return link.private ? ['link:trash', { id: link.id }, owner] : ['link:update', { id: link.id, private: true }, owner];
}

/**
 * The swap of a link out of an own branch, by an editor who may not share the nodes below the
 * target.
 */
function turn({ a }: Step, drawing: DrawContext): Request {
  const { links, grants } = drawing.state;
  const shared = links.filter(
    (link) =>
      !link.inTrash && link.mayPropagate && grants.some(({ nodeId, branch }) => branch && nodeId === link.source),
  );
  const link = at(
    shared.filter((one) => editorOf(one, drawing) !== undefined),
    a,
  );
  if (link !== undefined) return ['link:swap', { id: link.id }, editorOf(link, drawing)];
  // There is none yet: share a source, or make an editor.
  const open = links.filter(({ inTrash, mayPropagate }) => !inTrash && mayPropagate);
  const chosen = at(shared.length > 0 ? shared : open, a);
  if (chosen === undefined) return null;
  const id = shared.length > 0 ? chosen.target : chosen.source;
  const owner = userOf(drawing, drawing.state.nodes.find((node) => node.id === id)?.ownerId);
  const to = drawing.users.filter((user) => user !== owner)[a % 3];
  return ['node:access', { id, email: to?.email ?? '', level: 2, branch: true }, owner];
}

/**
 * A user other than the link's owner who edits its target, sees its source, and may not share the
 * nodes below the target.
 */
function editorOf({ source, target, ownerId }: ModelLink, { state, users, now }: DrawContext): ModelUser | undefined {
  const [from, into] = [source, target].map((id) => state.nodes.find((node) => node.id === id));
  if (from === undefined || into === undefined) return undefined;
  return users.find(
    (user) =>
      user.id !== ownerId &&
      (levelOf(state, user, into, now) ?? 9) <= 2 &&
      levelOf(state, user, from, now) !== null &&
      (branchLevelOf(state, user, into, now) ?? 9) > 1,
  );
}

/**
 * A child added by a user whose grant covers only its parent: the grant is copied to the child
 * (NODE3).
 */
function copy({ a, b }: Step, drawing: DrawContext): Request {
  const { state, users, serial } = drawing;
  const alone = state.grants.filter(({ branch, level }) => !branch && level <= 2);
  const grant = at(alone, a);
  if (grant !== undefined) {
    const grantee = users.find(({ email }) => email === grant.email);
    return ['node:add', { target: grant.nodeId, title: `title-${serial}` }, grantee];
  }
  const node = at(
    state.nodes.filter(({ inTrash }) => !inTrash),
    a,
  ) as ModelNode | undefined;
  const to = users.filter(({ id }) => id !== node?.ownerId)[b % (users.length - 1)];
  if (node === undefined || to === undefined) return null;
  return ['node:access', { id: node.id, email: to.email, level: 2, branch: false }, userOf(drawing, node.ownerId)];
}

/** Ends or changes a grant that has copies. */
function uncopy({ a, b, c, flag }: Step, drawing: DrawContext): Request {
  const { state } = drawing;
  const copied = state.grants.filter(({ nodeId, email }) =>
    state.grants.some((one) => one.copyOf === nodeId && one.email === email),
  );
  const grant = at(copied, a);
  if (grant === undefined) return null;
  const { nodeId: id, email } = grant;
  const owner = userOf(drawing, state.nodes.find((node) => node.id === id)?.ownerId);
  if (b % 3 !== 0) return ['node:access:delete', { id, email }, owner];
  return ['node:access:update', { id, email, ...(flag ? { branch: true } : { level: 1 + (c % 3) }) }, owner];
}

/**
 * A path around a trashed node, against the direction of its links: restoring it would close a
 * cycle with one of them. Otherwise trashes a node that has links on both sides.
 */
function detour({ a, c }: Step, drawing: DrawContext): Request {
  const { nodes, links } = drawing.state;
  const sides = (id: string, lying: (link: ModelLink) => boolean) => {
    const own = links.filter((link) => link.type === 0 && lying(link));
    return { into: own.filter(({ target }) => target === id), from: own.filter(({ source }) => source === id) };
  };
  const gone = nodes.filter(({ id, inTrash }) => {
    const { into, from } = sides(id, ({ inTrash: trashed, marked }) => trashed && marked);
    return inTrash && into.length > 0 && from.length > 0;
  });
  const node = at(gone, a);
  if (node === undefined) {
    const inner = nodes.filter(({ id, inTrash }) => {
      const { into, from } = sides(id, ({ inTrash: trashed }) => !trashed);
      return !inTrash && into.length > 0 && from.length > 0;
    });
    const chosen = at(inner, a);
    return chosen === undefined ? null : ['node:trash', { id: chosen.id }, userOf(drawing, chosen.ownerId)];
  }
  const owner = userOf(drawing, node.ownerId);
  if (c % 3 === 0) return ['node:restore', { id: node.id }, owner];
  const { into, from } = sides(node.id, ({ inTrash, marked }) => inTrash && marked);
  const [before, after] = [at(into, c)?.source, at(from, c)?.target];
  return before === after ? null : ['link:add', { source: after, target: before }, owner];
}
