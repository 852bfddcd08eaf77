// The reads of waiting calls: a bounded number at once, in total and of one user; the others queue.
// Calls that ask for the same read before it begins share it, since their answers would be equal. A
// read that has begun is never shared: access may have changed since. Rules: ACL7, LONG1.

interface ReadRequest {
  readonly user: string;
  /** Equal for reads with equal answers. */
  readonly key: string;
  /** Whether the call still waits for the answer. */
  readonly isWanted: () => boolean;
}

export interface SharedReads<Answer> {
  /** Performs the read, or joins a queued one. Null if no call wants the answer when its turn comes. */
  read(request: ReadRequest, work: () => Promise<Answer>): Promise<Answer | null>;
}

interface QueuedRead<Answer> {
  readonly user: string;
  readonly work: () => Promise<Answer>;
  readonly sharers: ReadRequest[];
  readonly outcome: Promise<Answer | null>;
  readonly resolve: (outcome: Promise<Answer> | null) => void;
}

export function createSharedReads<Answer>(most: number, mostOfUser: number): SharedReads<Answer> {
  const queue = new Map<string, QueuedRead<Answer>>();
  /** The number of reads in progress, in total and by user. */
  let running = 0;
  const byUser = new Map<string, number>();
  let isScheduled = false;

  /** Calls of one change wake in one turn of the event loop, so reads begin after it. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      beginNext();
    });
  }

  function beginNext(): void {
    for (const [key, read] of queue) {
      if (running >= most) return;
      const ofUser = byUser.get(read.user) ?? 0;
      if (ofUser >= mostOfUser) continue;
      queue.delete(key);
      if (read.sharers.some(({ isWanted }) => isWanted())) begin(read, ofUser + 1);
      else read.resolve(null);
    }
  }

  function begin({ user, work, resolve }: QueuedRead<Answer>, ofUser: number): void {
    running++;
    byUser.set(user, ofUser);
    const answer = work();
    resolve(answer);
    const end = () => {
      running--;
      const left = (byUser.get(user) ?? 1) - 1;
      if (left === 0) byUser.delete(user);
      else byUser.set(user, left);
      beginNext();
    };
    answer.then(end, end);
  }

  return {
    read(request, work) {
      const { key, user } = request;
      const queued = queue.get(key) ?? queuedRead(user, work);
      queue.set(key, queued);
      queued.sharers.push(request);
      schedule();
      return queued.outcome;
    },
  };
}

function queuedRead<Answer>(user: string, work: () => Promise<Answer>): QueuedRead<Answer> {
  let resolve: QueuedRead<Answer>['resolve'] = () => undefined;
  const outcome = new Promise<Answer | null>((resolveOutcome) => {
    resolve = resolveOutcome;
  });
  return { user, work, sharers: [], outcome, resolve };
}
