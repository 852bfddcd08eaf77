// Declares what each export format cannot hold, and the notes that an export reports for it. A
// field that a format neither writes nor declares is reported by its name. Rule: IO2.

import { controlCharactersIn } from '@taskgraph/domain/calendar/icalendar-text';
import { createLossReport, type TransferLoss } from '../graph/loss-report.ts';
import {
  EMPTY_FIELDS,
  placeOf,
  type TransferFields,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from '../graph/transfer-graph.ts';
import { isWritableInXml } from '../text/xml-text.ts';

type FieldName = keyof TransferFields;

/** Fields, or values of fields, that a format cannot hold. */
interface UnsupportedFields {
  readonly fields: readonly FieldName[];
  readonly note: string;
  /**
   * Whether this node has such a value. By default: whether a field differs from that of a new
   * node.
   */
  readonly isIn?: (node: TransferNode) => boolean;
}

/** A link with its ends and their numbers in the graph, from 0. */
interface LinkEnds {
  readonly link: TransferLink;
  readonly source: TransferNode;
  readonly target: TransferNode;
  readonly sourceIndex: number;
  readonly targetIndex: number;
}

/** A property of links that a format cannot hold. */
interface UnsupportedLinks {
  readonly note: string;
  readonly isIn: (ends: LinkEnds) => boolean;
  readonly place: (ends: LinkEnds) => string;
}

interface FormatLimits {
  readonly written: readonly FieldName[];
  readonly fields: readonly UnsupportedFields[];
  readonly links: readonly UnsupportedLinks[];
}

const ALL_FIELDS = Object.keys(EMPTY_FIELDS) as FieldName[];

const bothEnds = ({ source, target }: LinkEnds) => `${placeOf(source)} → ${placeOf(target)}`;
const isSecondary = ({ link }: LinkEnds) => link.type === 1;
const hasSpace = (text: string) => /\s/.test(text);

const PRIVATE_LINK: UnsupportedLinks = {
  note: 'that a link is private',
  isIn: ({ link }) => link.private,
  place: ({ target }) => placeOf(target),
};
const SECONDARY_LINK: UnsupportedLinks = {
  note: 'a link that does not block',
  isIn: isSecondary,
  place: bothEnds,
};

const IN_PROGRESS: UnsupportedFields = {
  fields: ['status'],
  note: 'being in progress',
  isIn: ({ status }) => status === 1,
};
const VOLUME: UnsupportedFields = { fields: ['volume'], note: 'the volume' };
/** Volumes have the unit of their users. */
const UNIT_OF_VOLUME: UnsupportedFields = {
  fields: ['volume'],
  note: 'the unit of a volume, which is written as minutes',
};
const ASSIGNEES: UnsupportedFields = { fields: ['assignee'], note: 'the assignees' };
const SECOND_ASSIGNEE: UnsupportedFields = {
  fields: ['assignee'],
  note: 'a second assignee',
  isIn: ({ assignee }) => assignee.length > 1,
};
const INDEPENDENT: UnsupportedFields = { fields: ['independent'], note: 'being independent' };
const POSITION: UnsupportedFields = { fields: ['pinned', 'collapsed', 'x', 'y', 'z'], note: 'a position' };
const SPACES_IN_TAGS: UnsupportedFields = {
  fields: ['tags'],
  note: 'the spaces in a tag',
  isIn: ({ tags }) => tags.some(hasSpace),
};

function priorityAbove(highest: number): UnsupportedFields {
  return { fields: ['priority'], note: `a priority above ${highest}`, isIn: ({ priority }) => priority > highest };
}

/** Reports every task, because the format holds so little of it. */
function allExcept(written: readonly FieldName[], note: string): Pick<FormatLimits, 'written' | 'fields'> {
  const fields = ALL_FIELDS.filter((name) => !written.includes(name));
  return { written, fields: [{ fields, note, isIn: () => true }] };
}

const DRAWING: FormatLimits = {
  ...allExcept(['title', 'status'], 'everything of a task except its title and status'),
  links: [PRIVATE_LINK],
};

/** The highest priority of the formats that have one. */
export const HIGHEST_PRIORITY = {
  todoist: 3,
  taskwarrior: 3,
  vikunja: 5,
  icalendar: 5,
  msproject: 5,
  'task-master': 4,
  beads: 4,
  markdown: 4,
} as const;

export const UNSUPPORTED_FIELDS = {
  taskgraph: { written: ALL_FIELDS, fields: [], links: [] },
  csv: {
    written: ALL_FIELDS,
    fields: [],
    links: [
      PRIVATE_LINK,
      {
        note: 'that a link to an independent task would block',
        isIn: ({ link, target }) => link.type === 0 && target.independent,
        place: ({ target }) => placeOf(target),
      },
    ],
  },
  psplib: {
    ...allExcept(['volume'], 'everything of a task except its volume and blockers'),
    links: [
      PRIVATE_LINK,
      {
        note: 'a link that does not block',
        isIn: isSecondary,
        // Job 1 is the source of the plan.
        place: ({ sourceIndex, targetIndex }) => `job ${sourceIndex + 2} → job ${targetIndex + 2}`,
      },
    ],
  },
  todoist: {
    written: ['title', 'description', 'priority', 'dueDate', 'volume', 'tags', 'assignee'],
    fields: [
      {
        fields: ['title'],
        note: 'an @ in a title, which begins a label there',
        isIn: ({ title }) => /(^|\s)@[^\s@]/.test(title),
      },
      { fields: ['tags'], note: 'an @ in a tag', isIn: ({ tags }) => tags.some((tag) => tag.includes('@')) },
      { fields: ['status'], note: 'a status', isIn: ({ status }) => status === 1 || status === 3 },
      priorityAbove(HIGHEST_PRIORITY.todoist),
      UNIT_OF_VOLUME,
      SECOND_ASSIGNEE,
      SPACES_IN_TAGS,
      INDEPENDENT,
      POSITION,
    ],
    links: [PRIVATE_LINK, SECONDARY_LINK],
  },
  taskwarrior: {
    written: ['title', 'description', 'status', 'dueDate', 'priority', 'tags', 'volume'],
    fields: [
      priorityAbove(HIGHEST_PRIORITY.taskwarrior),
      ASSIGNEES,
      SPACES_IN_TAGS,
      {
        fields: ['description'],
        note: 'the line breaks of a description',
        isIn: ({ description }) => description.includes('\n'),
      },
      INDEPENDENT,
      POSITION,
    ],
    links: [PRIVATE_LINK, SECONDARY_LINK],
  },
  vikunja: {
    written: ['title', 'description', 'status', 'dueDate', 'priority', 'tags', 'assignee'],
    fields: [IN_PROGRESS, priorityAbove(HIGHEST_PRIORITY.vikunja), VOLUME, INDEPENDENT, POSITION],
    links: [PRIVATE_LINK],
  },
  github: {
    written: ['title', 'description', 'status', 'tags', 'assignee'],
    fields: [
      IN_PROGRESS,
      { fields: ['dueDate'], note: 'the due date' },
      { fields: ['priority'], note: 'the priority' },
      VOLUME,
      INDEPENDENT,
      POSITION,
    ],
    links: [PRIVATE_LINK, SECONDARY_LINK],
  },
  mermaid: DRAWING,
  dot: DRAWING,
  icalendar: {
    written: ['title', 'description', 'status', 'dueDate', 'priority', 'tags'],
    fields: [
      {
        fields: ['title', 'description', 'tags'],
        note: 'control characters',
        isIn: ({ title, description, tags }) => [title, description, ...tags].some(controlCharactersIn),
      },
      priorityAbove(HIGHEST_PRIORITY.icalendar),
      VOLUME,
      ASSIGNEES,
      INDEPENDENT,
      POSITION,
    ],
    links: [
      PRIVATE_LINK,
      {
        note: 'the direction of a link that does not block',
        isIn: isSecondary,
        place: ({ source }) => placeOf(source),
      },
    ],
  },
  msproject: {
    written: ['title', 'description', 'status', 'dueDate', 'priority', 'volume', 'assignee'],
    fields: [
      IN_PROGRESS,
      { fields: ['tags'], note: 'the tags' },
      {
        fields: ['title', 'description', 'assignee'],
        note: 'control characters',
        isIn: ({ title, description, assignee }) => ![title, description, ...assignee].every(isWritableInXml),
      },
      priorityAbove(HIGHEST_PRIORITY.msproject),
      UNIT_OF_VOLUME,
      INDEPENDENT,
      POSITION,
    ],
    links: [PRIVATE_LINK, SECONDARY_LINK],
  },
  'task-master': {
    written: ['title', 'description', 'status', 'priority', 'tags', 'volume', 'assignee'],
    fields: [
      { fields: ['dueDate'], note: 'the due date' },
      priorityAbove(HIGHEST_PRIORITY['task-master']),
      SECOND_ASSIGNEE,
      INDEPENDENT,
      POSITION,
    ],
    links: [PRIVATE_LINK, SECONDARY_LINK],
  },
  beads: {
    written: ['title', 'description', 'status', 'dueDate', 'priority', 'tags', 'volume', 'assignee'],
    fields: [priorityAbove(HIGHEST_PRIORITY.beads), UNIT_OF_VOLUME, SECOND_ASSIGNEE, INDEPENDENT, POSITION],
    links: [PRIVATE_LINK],
  },
  markdown: {
    written: ['title', 'description', 'status', 'dueDate', 'priority', 'tags', 'volume', 'assignee'],
    fields: [
      priorityAbove(HIGHEST_PRIORITY.markdown),
      {
        fields: ['tags'],
        note: 'the spaces or # in a tag, or a tag of digits',
        isIn: ({ tags }) => tags.some((tag) => /[\s#]/.test(tag) || /^\d*$/.test(tag)),
      },
      {
        fields: ['assignee'],
        note: 'the spaces or @ in the name of an assignee',
        isIn: ({ assignee }) => assignee.some((name) => !/^[\p{L}\p{N}][^\s@]*$/u.test(name)),
      },
      {
        fields: ['description'],
        note: 'the blanks around the lines of a description',
        isIn: ({ description }) => description.trim() !== description || /[\r\t]|[^\S\n]\n/.test(description),
      },
      INDEPENDENT,
      POSITION,
    ],
    links: [PRIVATE_LINK, SECONDARY_LINK],
  },
} as const satisfies Record<string, FormatLimits>;

/** The parts of a graph that the format cannot hold. */
export function unsupportedIn({ nodes, links }: TransferGraph, limits: FormatLimits): TransferLoss[] {
  const losses = createLossReport();
  const indexes = new Map(nodes.map(({ key }, index) => [key, index]));
  for (const { note, isIn, place } of limits.links) {
    for (const link of links) {
      const ends = endsOf(link, nodes, indexes);
      if (ends !== null && isIn(ends)) losses.note(note, place(ends));
    }
  }
  const fields = [...limits.fields, ...undeclaredFields(limits)];
  for (const node of nodes) {
    for (const { note, isIn, fields: names } of fields) {
      if (isIn?.(node) ?? names.some((name) => hasValue(node, name))) losses.note(note, placeOf(node));
    }
  }
  return losses.list();
}

/** Null if the graph lacks an end. */
function endsOf(
  link: TransferLink,
  nodes: readonly TransferNode[],
  indexes: ReadonlyMap<string, number>,
): LinkEnds | null {
  const [sourceIndex, targetIndex] = [indexes.get(link.source), indexes.get(link.target)];
  if (sourceIndex === undefined || targetIndex === undefined) return null;
  const [source, target] = [nodes[sourceIndex], nodes[targetIndex]];
  return source === undefined || target === undefined ? null : { link, source, target, sourceIndex, targetIndex };
}

function undeclaredFields({ written, fields }: FormatLimits): UnsupportedFields[] {
  const declared = new Set([...written, ...fields.flatMap(({ fields: names }) => names)]);
  return ALL_FIELDS.filter((name) => !declared.has(name)).map((name) => ({
    fields: [name],
    note: `the field ${JSON.stringify(name)}`,
  }));
}

function hasValue(node: TransferNode, name: FieldName): boolean {
  const value = node[name];
  return Array.isArray(value) ? value.length > 0 : value !== EMPTY_FIELDS[name];
}
