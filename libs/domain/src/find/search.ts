// The hits of a search and their order. Pure, so that workers and replicas find the same nodes.
// Rules: FIND2 to FIND5.
import { type FindableNode, type FindContext, meets, readsTitles, type Where } from './conditions.ts';
import { createWordTest, type FoldedTexts, rankOf, searchWords } from './text-match.ts';

export type SortName = 'due' | 'priority' | 'edited' | 'created' | 'completed' | 'title';

export interface Search {
  readonly text?: string | undefined;
  readonly where?: Where | undefined;
  readonly sort?: SortName | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** The language tag for sorting titles. Without one, titles are sorted by the root collation. */
  readonly locale?: string | undefined;
}

/** A node that can be found and sorted. */
export interface SearchableNode extends FindableNode {
  readonly title: string;
}

/** The place of a hit in the order of its search. It changes only if the node changes. */
export interface Place {
  /** The value of the sort; null if the node has none. Without a sort, the rank of the words. */
  readonly value: string | number | null;
  /** Without a sort: when the node was last edited. */
  readonly edited?: string | undefined;
  readonly id: string;
}

export interface Finder {
  /** Whether it reads the texts of nodes. */
  readonly readsTexts: boolean;
  /** The work for one node, in characters. */
  costOf(node: SearchableNode): number;
  /** The place of a node in the answer; null if it is no hit. */
  placeOf(node: SearchableNode, context: FindContext): Place | null;
  compare(one: Place, other: Place): number;
}

const VALUES: { readonly [Name in SortName]: (node: SearchableNode) => string | number | null } = {
  due: ({ dueDate }) => dueDate,
  priority: ({ priority }) => priority,
  edited: ({ lastEditedTime }) => lastEditedTime,
  created: ({ createdTime }) => createdTime,
  completed: ({ completedTime }) => completedTime,
  title: ({ title }) => title,
};

export function createFinder({ text = '', where = {}, sort, order, locale }: Search): Finder {
  const words = searchWords(text).map(createWordTest);
  // Without a sort, the order has only one direction.
  const direction = sort !== undefined && order === 'desc' ? -1 : 1;
  const collator = sort === 'title' ? new Intl.Collator(locale ?? ROOT_LOCALE) : null;
  return {
    readsTexts: words.length > 0 || readsTitles(where),
    costOf: ({ texts }) => NODE_COST + words.length * charactersIn(texts),
    placeOf(node, context) {
      if (!meets(where, node, context)) return null;
      const rank = rankOf(words, node.texts);
      if (rank === null) return null;
      const { id } = node;
      return sort === undefined ? { value: rank, edited: node.lastEditedTime, id } : { value: VALUES[sort](node), id };
    },
    compare(one, other) {
      const byValue = compareValues(one.value, other.value, collator);
      // A missing value comes last in both directions.
      if (byValue !== 0) return one.value === null || other.value === null ? byValue : direction * byValue;
      if (one.edited !== other.edited) return (one.edited ?? '') > (other.edited ?? '') ? -1 : 1;
      return one.id < other.id ? -1 : Number(one.id > other.id);
    },
  };
}

/** Of the conditions, in characters of text. */
const NODE_COST = 100;

function charactersIn({ title, tags, description }: FoldedTexts): number {
  return tags.reduce((sum, tag) => sum + tag.length, title.length + description.length);
}

/** English has the root collation of the Unicode CLDR. */
const ROOT_LOCALE = 'en';

function compareValues(one: Place['value'], other: Place['value'], collator: Intl.Collator | null): number {
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  if (collator !== null) return collator.compare(one as string, other as string);
  return one < other ? -1 : 1;
}
