// The numbers of the contract: operation codes, statuses, access levels and link types.

/** Operation codes of diff entries and history operations (WIRE5). */
export const Op = {
  NODE_ADD: 0,
  NODE_UPDATE: 1,
  NODE_STATUS: 2,
  NODE_TRASH: 3,
  NODE_RESTORE: 4,
  NODE_DELETE: 5,
  NODE_PUBLISH: 6,
  LINK_ADD: 10,
  LINK_UPDATE: 11,
  LINK_TRASH: 12,
  LINK_RESTORE: 13,
  LINK_DELETE: 14,
  LINK_SWAP: 15,
  GRANT_UPSERT: 20,
  GRANT_UPDATE: 21,
  GRANT_DELETE: 22,
} as const;
export type Op = (typeof Op)[keyof typeof Op];

/**
 * Operations whose `after` is the whole entity: a reader of active entities has no base for a
 * patch.
 */
export const SHOWN_IN_FULL: ReadonlySet<Op> = /* @__PURE__ */ opsNamed('NODE_RESTORE', 'LINK_RESTORE');

/** Operations that remove an entity from its readers. Those readers still receive the entry. */
export const TAKES_AWAY: ReadonlySet<Op> = /* @__PURE__ */ opsNamed(
  'NODE_TRASH',
  'NODE_DELETE',
  'LINK_TRASH',
  'LINK_DELETE',
);

/** Its calls are marked as pure, so that bundles of clients omit the unused sets. */
function opsNamed(...names: readonly (keyof typeof Op)[]): ReadonlySet<Op> {
  return new Set(names.map((name) => Op[name]));
}

/** Node status. */
export const Status = { AVAILABLE: 0, IN_PROGRESS: 1, BLOCKED: 2, COMPLETED: 3 } as const;
export type Status = (typeof Status)[keyof typeof Status];

/** Access level on a node; the lowest number is the highest privilege. */
export const Level = { OWNER: 0, ADMIN: 1, EDITOR: 2, VIEWER: 3 } as const;
export type Level = (typeof Level)[keyof typeof Level];

/** Link type: primary links block, secondary ones do not. */
export const LinkType = { PRIMARY: 0, SECONDARY: 1 } as const;
export type LinkType = (typeof LinkType)[keyof typeof LinkType];

/** The units in which a plan measures volume. */
export const PLAN_UNITS = ['minute', 'hour', 'day', 'week'] as const;
export type PlanUnit = (typeof PLAN_UNITS)[number];
