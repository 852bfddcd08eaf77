// What an update does, and what it leaves as it is: by kind, with every task and link. Rule: IO12.
import type { TransferLoss } from '../graph/loss-report.ts';

export const UPDATE_KINDS = [
  /** Changes. */
  'created',
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
export const CHANGE_KINDS: ReadonlySet<UpdateKind> = new Set<UpdateKind>(UPDATE_KINDS.slice(0, 7));

/** The kinds in English. */
const UPDATE_TEXTS: Readonly<Record<UpdateKind, string>> = {
  created: 'a new task',
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

/** A kind of changes, or of things that stay, with every place. */
export interface UpdateEntry extends TransferLoss {
  readonly kind: UpdateKind;
}

export interface UpdateLog {
  note(kind: UpdateKind, place: string): void;
  /** By kind, in the order of UPDATE_KINDS. */
  list(): UpdateEntry[];
}

export function createUpdateLog(): UpdateLog {
  const places = new Map<UpdateKind, Set<string>>();
  return {
    note(kind, place) {
      const noted = places.get(kind) ?? new Set<string>();
      places.set(kind, noted.add(place));
    },
    list: () =>
      UPDATE_KINDS.flatMap((kind) => {
        const all = [...(places.get(kind) ?? [])];
        return all.length === 0 ? [] : [{ kind, what: UPDATE_TEXTS[kind], count: all.length, places: all }];
      }),
  };
}
