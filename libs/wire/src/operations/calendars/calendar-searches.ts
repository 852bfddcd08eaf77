// The searches by which a feed finds its entries. Each adds at most one condition to those of the
// calendar. Rules: ICAL1, ICAL3.
import { Status } from '../../codes.ts';

export type CalendarConditions = Readonly<Record<string, unknown>>;

const OPEN = [Status.AVAILABLE, Status.IN_PROGRESS, Status.BLOCKED];
const FIRST_TIME = '0000-01-01T00:00:00.000Z';

/** Finds the nodes with a due date; null if the conditions exclude them. */
export function dueDateSearch(where: CalendarConditions): CalendarConditions | null {
  if (where.due === 'none') return null;
  return where.due === undefined ? { ...where, due: { from: FIRST_TIME } } : where;
}

/** Finds open nodes, which alone have bars; null if the conditions exclude them. */
export function openSearch(where: CalendarConditions): CalendarConditions | null {
  if (where.status === undefined) return { ...where, status: OPEN };
  const statuses = new Set<unknown>([where.status].flat());
  return OPEN.some((status) => statuses.has(status)) ? where : null;
}
