// The calls on the sources of a user's imports. Rule: IO12.
import type {
  ImportLink,
  ImportRevert,
  ImportRows,
  ImportRun,
  ImportSources,
  ImportTask,
} from '@taskgraph/wire/public-types';
import { type RestClient, type RestCredentials, rest } from '../rest.ts';

/** The begin of an import, an update or an undo. */
export interface ImportStart {
  name: string;
  /** An id of this run, a UUID. A later run of the same source ends it. */
  run: string;
  /** The node below which new tasks are added. */
  under?: string;
  /** `drop` removes rows of an import that is undone. */
  mode?: 'import' | 'update' | 'undo' | 'drop';
  /** The format of the file. */
  format?: string;
  /** A hash of the options by which the file is read; '' for none. */
  reading?: string;
  /** A hash of the path of the file; '' if the name of the source stands for it. */
  origin?: string;
  /** Identifies an import: only the same one continues an interrupted one. */
  fingerprint?: string;
}

/** Rows of a source: at most 500 together. */
export interface ImportRowChanges {
  tasks?: readonly ImportTask[];
  links?: readonly ImportLink[];
  droppedTasks?: readonly string[];
  droppedLinks?: readonly { source: string; target: string }[];
  /** The batch that created or changed them. */
  batch?: string;
  /** Whether the import or update is complete. */
  complete?: boolean;
}

export type ImportSourceCalls = ReturnType<typeof imports>;

/**
 * The sources of a user's imports, by a session or by a token with the scopes `read`, `edit`, `link` and `trash`, or over
 * a REST client; `session: true` stands for the session of the browser. Each call throws a TaskgraphError, and may be
 * repeated.
 */
export function imports(connection: ({ url: string } & RestCredentials) | RestClient) {
  const { request } = 'request' in connection ? connection : rest(connection);
  const path = '/api/import';
  return {
    list: async () => (await request<ImportSources>('GET', path)).sources,
    /**
     * `free` of the answer is the number of rows that the user may still store. An import that was complete
     * before does not begin: its source is not `importing`.
     */
    begin: (start: ImportStart) => request<ImportRun>('POST', path, { body: { ...start } }),
    store: async (source: string, run: string, rows: ImportRowChanges) =>
      void (await request('POST', `${path}/rows`, { body: { source, run, ...rows } })),
    /** A page of the rows; `after` is the `next` of the page before. */
    rows: (source: string, after?: string) =>
      request<ImportRows>('GET', `${path}/rows`, { query: { source, ...(after === undefined ? {} : { after }) } }),
    /** Gives up to 500 rows the values before the last update. */
    revert: (source: string, run: string) => request<ImportRevert>('POST', `${path}/revert`, { body: { source, run } }),
    /** Deletes a source with its rows. The nodes stay. */
    delete: async (source: string) => void (await request('DELETE', path, { body: { source } })),
  };
}
