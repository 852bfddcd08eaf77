// What an update does, and what it leaves as it is: by kind, with every task and link. Rule: IO12.
import type { TransferLoss } from '../graph/loss-report.ts';

export const UPDATE_KINDS = [
  /** Changes. */
  'created',
  'restored',
  'linked',
  'changed',
  'link_changed',
  'overwritten',
  'trashed',
  'unlinked',
  /** Things that stay as they are. */
  'conflict',
  'gone_task',
  'gone_link',
  'in_trash',
  'removed_link',
  'unreachable',
  'ambiguous',
  'blocked',
  'refused',
] as const;
export type UpdateKind = (typeof UPDATE_KINDS)[number];

/** The kinds that change the graph. */
export const CHANGE_KINDS: ReadonlySet<UpdateKind> = new Set<UpdateKind>(UPDATE_KINDS.slice(0, 8));

/** The kinds in English. */
const UPDATE_TEXTS: Readonly<Record<UpdateKind, string>> = {
  created: 'a new task',
  restored: 'a task that an earlier update moved to the trash and that the file has again, which is restored',
  linked: 'a new link',
  changed: 'a task with changed values',
  link_changed: 'a link with another type',
  overwritten: 'a value of a person that the file overwrites',
  trashed: 'a task that is gone from the file and moves to the trash',
  unlinked: 'a link that is gone from the file and moves to the trash',
  conflict: 'a value that both the file and a person changed, which stays as the person wrote it',
  gone_task: 'a task that is gone from the file and stays',
  gone_link: 'a link that is gone from the file and stays',
  in_trash: 'a task that a person moved to the trash, which stays there',
  removed_link: 'a link that a person removed, which is not added again',
  unreachable: 'a task of which you no longer see the node, or whose node was deleted',
  ambiguous: 'a task that has the title of another one and no id, which is not matched',
  blocked: 'a status that cannot be set because the task is blocked',
  refused: 'a change that the service refused',
};

/** A kind of changes, or of things that stay, with their number and every place, each once. */
export interface UpdateEntry extends TransferLoss {
  readonly kind: UpdateKind;
}

export interface UpdateLog {
  /** Several tasks may have one place. */
  note(kind: UpdateKind, place: string): void;
  /** Adds the entries of another log. */
  add(entries: readonly UpdateEntry[]): void;
  /** By kind, in the order of UPDATE_KINDS. */
  list(): UpdateEntry[];
}

export function createUpdateLog(): UpdateLog {
  const noted = new Map<UpdateKind, { count: number; readonly places: Set<string> }>();
  const entryOf = (kind: UpdateKind) => {
    const entry = noted.get(kind) ?? { count: 0, places: new Set<string>() };
    noted.set(kind, entry);
    return entry;
  };
  return {
    note(kind, place) {
      const entry = entryOf(kind);
      entry.count++;
      entry.places.add(place);
    },
    add(entries) {
      for (const { kind, count, places } of entries) {
        const entry = entryOf(kind);
        entry.count += count;
        for (const place of places) entry.places.add(place);
      }
    },
    list: () =>
      UPDATE_KINDS.flatMap((kind) => {
        const entry = noted.get(kind);
        return entry === undefined
          ? []
          : [{ kind, what: UPDATE_TEXTS[kind], count: entry.count, places: [...entry.places] }];
      }),
  };
}
