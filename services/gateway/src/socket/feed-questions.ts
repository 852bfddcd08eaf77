// Asks workers which feeds a socket that connects may read; sockets that connect at once share a question. Rules: ACL5, EVT1, PUB3.
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { type ActingUser, publicFeeds, readersFeeds } from '@taskgraph/wire/messages';
import { gather } from '../gathering.ts';
import type { Readable } from '../realtime/subscriber.ts';
import { type AskWorkers, nobody } from '../worker-questions.ts';

/** Users, and tokens, that one question asks for: the database reads them in some tens of milliseconds. */
const READERS_A_QUESTION = 200;

interface Options {
  readonly askWorkers: AskWorkers;
  readonly deadlineMs: number;
}

/** The feeds of a user, with the position that vouches for them (EVT2). */
export interface UserFeeds {
  readonly feeds: readonly Readable[];
  readonly position: string;
  /** There where the user was granted more than is shown (ACL11). */
  readonly truncated?: true | undefined;
}

/** Each answer was begun after its question was asked. */
export interface FeedQuestions {
  /** Null where there is no such user any more. */
  ofUser(user: ActingUser): Promise<UserFeeds | Refusal | null>;
  /** Null where nothing is public under the token. */
  ofToken(token: string): Promise<Readable | Refusal | null>;
}

export function createFeedQuestions({ askWorkers, deadlineMs }: Options): FeedQuestions {
  const ofUser = gather<ActingUser, UserFeeds>({
    most: READERS_A_QUESTION,
    async ask(users) {
      const readers = [...users.values()].map(({ id, email }) => ({ id, email }));
      const answer = await askWorkers('readers:feeds', { readers }, readersFeeds, nobody(deadlineMs));
      return isRefusal(answer) ? answer : new Map(answer.readers.map(({ id, ...found }) => [id, found]));
    },
  });
  const ofToken = gather<string, Readable>({
    most: READERS_A_QUESTION,
    async ask(tokens) {
      const answer = await askWorkers('public:feeds', { tokens: [...tokens.keys()] }, publicFeeds, nobody(deadlineMs));
      return isRefusal(answer) ? answer : new Map(answer.tokens.map(({ token, ...feed }) => [token, feed]));
    },
  });
  return { ofUser: (user) => ofUser(user.id, user), ofToken: (token) => ofToken(token, token) };
}
