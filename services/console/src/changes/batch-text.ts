// What a batch of the history did, in sentences. Pure: titles come from the graph and from the
// patches themselves. Rule: CON10.
import type { HistoryBatch } from '@taskgraph/client';
import { dueLabel } from '../messages/messages.ts';
import { changes as texts } from '../messages/texts/changes.ts';

type Operation = HistoryBatch['ops'][number];
type Patch = Readonly<Record<string, unknown>>;

interface LinkEnds {
  readonly source: string;
  readonly target: string;
}

/** Names of the entities of batches. */
export interface EntityNames {
  title(nodeId: string): string | undefined;
  ends(linkId: string): LinkEnds | undefined;
}

/**
 * The names in the patches of these batches, with those of the graph before them. A task that is
 * gone still has its last known title.
 */
export function namesIn(batches: readonly HistoryBatch[], graph: EntityNames): EntityNames {
  const titles = new Map<string, string>();
  const ends = new Map<string, LinkEnds>();
  // Newest first, so the first title is the last one that the task had.
  for (const { ops } of batches) {
    for (const { entityId, forwardPatch, inversePatch } of ops) {
      const [title, source, target] = ['Title', 'Source', 'Target'].map(
        (field) => forwardPatch[field] ?? inversePatch[field],
      );
      if (typeof title === 'string' && !titles.has(entityId)) titles.set(entityId, title);
      if (typeof source === 'string' && typeof target === 'string' && !ends.has(entityId))
        ends.set(entityId, { source, target });
    }
  }
  return {
    title: (id) => graph.title(id) ?? titles.get(id),
    ends: (id) => graph.ends(id) ?? ends.get(id),
  };
}

/** One sentence for each change, those of the command before those that follow from it. */
export function sentencesOf({ ops }: Pick<HistoryBatch, 'ops'>, names: EntityNames): string[] {
  return [...new Set(ops.map((operation) => sentenceOf(operation, names)))];
}

function sentenceOf(operation: Operation, names: EntityNames): string {
  const { type, entityId, forwardPatch, inversePatch } = operation;
  const title = taskName(entityId, names);
  switch (type) {
    case 0:
      return texts.added(title);
    case 1:
      return updateSentence(operation, names);
    case 2:
      return texts.status[Number(forwardPatch.Status)]?.(title) ?? texts.changed(title);
    case 3:
      return texts.trashed(title);
    case 4:
      return texts.restored(title);
    case 5:
      return texts.deleted(title);
    case 6:
      return publicationSentence(title, forwardPatch);
    case 20:
    case 21:
      return texts.shared(title, textOf(forwardPatch.Email ?? inversePatch.Email), levelOf(forwardPatch));
    case 22:
      return texts.unshared(title, textOf(forwardPatch.Email ?? inversePatch.Email));
    default:
      return linkSentence(operation, names);
  }
}

function taskName(id: string, names: EntityNames): string {
  return texts.task(names.title(id));
}

function updateSentence({ entityId, forwardPatch, inversePatch }: Operation, names: EntityNames): string {
  const title = taskName(entityId, names);
  const fields = Object.keys(forwardPatch).filter((field) => Object.hasOwn(texts.fields, field));
  if (fields.length === 1 && fields[0] === 'Title')
    return texts.renamed(texts.task(textOf(inversePatch.Title)), texts.task(textOf(forwardPatch.Title)));
  if (fields.length === 0) return pictureSentence(title, forwardPatch);
  const text = fields.map((field) => fieldText(field, forwardPatch[field], inversePatch[field]));
  return texts.updated(title, text);
}

function pictureSentence(title: string, { Collapsed }: Patch): string {
  if (Collapsed === undefined) return texts.moved(title);
  return Collapsed ? texts.collapsed(title) : texts.expanded(title);
}

/** Values longer than that are not repeated. */
const LONGEST_VALUE = 60;

function fieldText(field: string, after: unknown, before: unknown): string {
  const name = texts.fields[field] ?? field;
  const [from, to] = [valueText(field, before), valueText(field, after)];
  const isShort = [from, to].every((value) => value.length <= LONGEST_VALUE);
  return field === 'Description' || !isShort ? name : texts.fromTo(name, from, to);
}

function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return texts.nothing;
  if (Array.isArray(value)) return value.length === 0 ? texts.nothing : texts.list(value.map(String));
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (field === 'DueDate') return dueLabel(String(value));
  return typeof value === 'number' ? texts.number(value) : texts.quoted(String(value));
}

function publicationSentence(title: string, { PublicToken }: Patch): string {
  if (PublicToken === undefined) return texts.publicationChanged(title);
  return PublicToken === null ? texts.unpublished(title) : texts.published(title);
}

function levelOf({ Level }: Patch): string | undefined {
  return texts.levels[Number(Level)];
}

function linkSentence({ type, entityId, forwardPatch, inversePatch }: Operation, names: EntityNames): string {
  const ends = names.ends(entityId);
  const first = taskName(ends?.source ?? '', names);
  const waiting = taskName(ends?.target ?? '', names);
  switch (type) {
    case 10:
    case 13:
      return Number(forwardPatch.Type) === 1 ? texts.related(waiting, first) : texts.linked(waiting, first);
    case 11:
      if (forwardPatch.Type !== undefined)
        return Number(forwardPatch.Type) === 1 ? texts.madeSecondary(waiting, first) : texts.linked(waiting, first);
      if (forwardPatch.Private !== undefined)
        return forwardPatch.Private ? texts.madePrivate(waiting, first) : texts.madePublic(waiting, first);
      return texts.linkChanged(waiting, first);
    case 12:
    case 14:
      return texts.unlinked(waiting, first);
    case 15:
      // The patches have both ends, and the graph may have swapped them again since.
      return texts.linked(
        taskName(textOf(forwardPatch.Target ?? inversePatch.Source), names),
        taskName(textOf(forwardPatch.Source ?? inversePatch.Target), names),
      );
    default:
      return texts.other;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
