// Surveys a range of entries. Retries, because entries may become readable shortly after their
// head. Rule: EVT2.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type FeedGap, type Survey, surveyEntries } from '@taskgraph/graph-store/reads/changes';

const SURVEYS = 3;
const SURVEY_PAUSE_MS = 50;

export async function surveyWithRetries(database: Database, missed: readonly FeedGap[]): Promise<Survey> {
  for (let attempt = 1; ; attempt++) {
    const survey = await surveyEntries(database, missed);
    if (survey.complete || !survey.mayComplete || attempt === SURVEYS) return survey;
    await new Promise((resolve) => setTimeout(resolve, SURVEY_PAUSE_MS));
  }
}
