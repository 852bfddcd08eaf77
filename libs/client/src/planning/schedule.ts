// When each task can and must begin, by the critical path method: durations along the links that block. Pure; what is planned is the caller's.
// Generated: `npm run docs:generate` copies it from libs/domain/src/plan, which says what is to be said of it.

/** A task as far as a plan asks. */
export interface PlannedTask {
  readonly id: string;
  /** How long it lasts, in the units of its plan; 0 or more. */
  readonly duration: number;
}

/** The task of `target` begins when that of `source` has ended. Both are planned. */
export interface Precedence {
  readonly source: string;
  readonly target: string;
}

/** Times count from the beginning of the plan, in its units. */
export interface TaskTimes {
  readonly earliestStart: number;
  readonly earliestFinish: number;
  /** The latest times that leave the end of the whole where it is. */
  readonly latestStart: number;
  readonly latestFinish: number;
  /** How far the task may slip without moving that end. */
  readonly slack: number;
}

export interface Schedule {
  /** How long all of it takes: 0 where nothing is planned. */
  readonly makespan: number;
  readonly times: ReadonlyMap<string, TaskTimes>;
  /**
   * One longest chain: each task begins when the one before it ends, none has slack, the first waits for nobody and for the last nobody waits. Where
   * several would do, it is the one whose ids come first, from its beginning on.
   */
  readonly critical: readonly string[];
}

/** Plans tasks; null where precedences close a circle, so that none of those in it can ever begin. Takes tasks and precedences once each. */
export function schedule(tasks: readonly PlannedTask[], precedences: readonly Precedence[]): Schedule | null {
  const place = new Map(tasks.map(({ id }, index) => [id, index]));
  const successors: number[][] = tasks.map(() => []);
  const predecessors: number[] = tasks.map(() => 0);
  for (const { source, target } of precedences) {
    const [from, to] = [place.get(source), place.get(target)];
    if (from === undefined || to === undefined) continue;
    successors[from]?.push(to);
    predecessors[to] = at(predecessors, to) + 1;
  }
  const order = inOrder(successors, predecessors);
  if (order.length < tasks.length) return null;

  const starts = tasks.map(() => 0);
  const finishOf = (task: number) => at(starts, task) + (tasks[task] as PlannedTask).duration;
  for (const task of order) {
    for (const next of successors[task] ?? []) starts[next] = Math.max(at(starts, next), finishOf(task));
  }
  const makespan = order.reduce((latest, task) => Math.max(latest, finishOf(task)), 0);
  const latestFinishes = tasks.map(() => makespan);
  const latestStartOf = (task: number) => at(latestFinishes, task) - (tasks[task] as PlannedTask).duration;
  for (const task of order.toReversed()) {
    for (const next of successors[task] ?? []) {
      latestFinishes[task] = Math.min(at(latestFinishes, task), latestStartOf(next));
    }
  }
  const timesOf = (task: number): TaskTimes => {
    const [earliestStart, latestStart] = [at(starts, task), latestStartOf(task)];
    return {
      ...{ earliestStart, earliestFinish: finishOf(task), latestStart, latestFinish: at(latestFinishes, task) },
      slack: latestStart - earliestStart,
    };
  };
  const times = tasks.map((_, task) => timesOf(task));
  const chain = longestChain({ tasks, times, successors, first: (task) => predecessors[task] === 0 });
  return {
    makespan,
    times: new Map(tasks.map(({ id }, task) => [id, times[task] as TaskTimes])),
    critical: chain.map((task) => (tasks[task] as PlannedTask).id),
  };
}

/** Each task after all that it waits for; those in a circle are left out. */
function inOrder(successors: readonly (readonly number[])[], predecessors: readonly number[]): number[] {
  const waitsFor = [...predecessors];
  const order = waitsFor.flatMap((count, task) => (count === 0 ? [task] : []));
  // It grows while it is walked.
  for (const task of order) {
    for (const next of successors[task] ?? []) {
      waitsFor[next] = at(waitsFor, next) - 1;
      if (waitsFor[next] === 0) order.push(next);
    }
  }
  return order;
}

interface Chained {
  readonly tasks: readonly PlannedTask[];
  readonly times: readonly TaskTimes[];
  readonly successors: readonly (readonly number[])[];
  readonly first: (task: number) => boolean;
}

/** A task without slack that does not end the whole always has a follower without slack that begins when it ends. */
function longestChain({ tasks, times, successors, first }: Chained): number[] {
  const hasNoSlack = (task: number) => times[task]?.slack === 0;
  const smallest = (some: readonly number[]) =>
    some.reduce<number | undefined>(
      (least, task) => (least === undefined || idOf(task) < idOf(least) ? task : least),
      undefined,
    );
  const idOf = (task: number) => (tasks[task] as PlannedTask).id;
  const chain: number[] = [];
  let task = smallest(tasks.flatMap((_, index) => (first(index) && hasNoSlack(index) ? [index] : [])));
  while (task !== undefined) {
    chain.push(task);
    const ends = times[task]?.earliestFinish;
    task = smallest((successors[task] ?? []).filter((next) => hasNoSlack(next) && times[next]?.earliestStart === ends));
  }
  return chain;
}

function at(list: readonly number[], index: number): number {
  return list[index] as number;
}
