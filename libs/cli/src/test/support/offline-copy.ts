// Writes a local copy, so that `--offline` and completion work without a service.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node, PageLink } from '@taskgraph/client';
import { fileStorage } from '@taskgraph/client/file-storage';
import { createProfiles } from '../../service/profiles.ts';

export interface OfflineGraph {
  readonly nodes: readonly Pick<Node, 'id' | 'title'>[];
  readonly links?: readonly Pick<PageLink, 'id' | 'source' | 'target'>[];
  readonly username?: string;
}

/** The fields of a new node of the user. */
const EMPTY = {
  description: '',
  status: 0,
  dueDate: null,
  tags: [],
  priority: 0,
  independent: false,
  volume: 0,
  assignee: [],
  pinned: false,
  collapsed: false,
  x: 0,
  y: 0,
  z: 0,
  version: 1,
  access: 0,
  ownerEmail: 'ann@example.com',
  lastEditedTime: '2026-01-02T03:04:05.678Z',
  completedTime: null,
  publicToken: null,
  publicDue: null,
};

export function idOf(index: number): string {
  return `01985f0e-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
}

/** Writes the local copy of the account in this environment. */
export async function writeOfflineCopy(
  environment: NodeJS.ProcessEnv,
  { nodes, links = [], username }: OfflineGraph,
): Promise<void> {
  const { folder } = await createProfiles(environment, undefined).account();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const storage = fileStorage(join(folder, 'replica.log'));
  const entries = [
    ['meta', { uid: null, position: null, positionHeads: {}, heads: {}, levels: {}, email: null, username }],
    ...nodes.map((node) => [`node/${node.id}`, { entity: { ...EMPTY, ...node }, via: [] }]),
    ...links.map((link) => [`link/${link.id}`, { type: 0, private: false, version: 1, ...link }]),
  ] as const;
  await storage.write(new Map(entries as never));
  await storage.close();
}
