// Surveys of a worker, bounded for all callers together. Rules: ADMIN3, ADMIN4.
//
// 1. At most one survey of all services runs; calls meanwhile, and for a second after it, share it.
// 2. At most two surveys of one process run; further ones are refused.
import type { Survey, SurveyResult } from '@taskgraph/bus/requests/status';
import { type Refusal, refuse } from '@taskgraph/wire/errors';

/** How long the result of a survey is shared. */
const SHARED_MS = 1_000;
const MAXIMUM_OF_PROCESSES = 2;

/** Requests reports, or returns a refusal if too many surveys run. Rejects as a survey does. */
export type SharedSurvey = (process: string | null) => Promise<SurveyResult | Refusal>;

/** `nowMs` is a monotonic clock. */
export function createSharedSurvey(survey: Survey, nowMs: () => number = () => performance.now()): SharedSurvey {
  let shared: { readonly result: Promise<SurveyResult>; endedMs: number | null } | null = null;
  let running = 0;

  function ofAll(): Promise<SurveyResult> {
    if (shared !== null && (shared.endedMs === null || nowMs() - shared.endedMs < SHARED_MS)) return shared.result;
    const started: NonNullable<typeof shared> = { result: survey(null), endedMs: null };
    shared = started;
    started.result.then(
      () => {
        started.endedMs = nowMs();
      },
      () => {
        if (shared === started) shared = null;
      },
    );
    return started.result;
  }

  async function ofProcess(process: string): Promise<SurveyResult | Refusal> {
    if (running >= MAXIMUM_OF_PROCESSES) return tooMany;
    running += 1;
    try {
      return await survey(process);
    } finally {
      running -= 1;
    }
  }

  return (process) => (process === null ? ofAll() : ofProcess(process));
}

const tooMany = refuse('unavailable', 'Too many requests to services are in progress; try again in a moment.');
