// The earliest and latest times of tasks, by the critical path method. Pure.
//
// Tasks are identified by index, and the graph is stored in typed arrays, because a worker plans
// 20,000 tasks on its main loop.

/** The part of a task that a schedule reads. */
export interface PlannedTask {
  readonly id: string;
  /** The duration in the plan's units, 0 or more. */
  readonly duration: number;
  /** The task ignores its predecessors. */
  readonly independent: boolean;
}

/** The task `target` begins when the task `source` has ended. */
export interface Precedence {
  readonly source: string;
  readonly target: string;
}

/** Times in the plan's units since its start. */
export interface TaskTimes {
  readonly id: string;
  readonly earliestStart: number;
  readonly earliestFinish: number;
  /** The latest times that do not delay the end of the plan. */
  readonly latestStart: number;
  readonly latestFinish: number;
  /** How far the task may slip without delaying the end of the plan. */
  readonly slack: number;
}

export interface Schedule {
  /** The length of the plan; 0 without tasks. */
  readonly makespan: number;
  /** In the order of the tasks. */
  readonly times: readonly TaskTimes[];
  /**
   * One longest chain without slack: each task begins when its predecessor ends. Of several chains,
   * the one whose ids come first.
   */
  readonly critical: readonly string[];
}

/** Schedules tasks; null if precedences form a cycle. Tasks and precedences must be unique. */
export function schedule(tasks: readonly PlannedTask[], precedences: readonly Precedence[]): Schedule | null {
  const network = networkOf(tasks, precedences);
  const order = topologicalOrder(network);
  if (order === null) return null;

  const { begins, followers } = network;
  const count = tasks.length;
  const durations = Float64Array.from(tasks, ({ duration }) => duration);
  const starts = new Float64Array(count);
  let makespan = 0;
  for (const task of order) {
    const finish = at(starts, task) + at(durations, task);
    if (finish > makespan) makespan = finish;
    for (let edge = at(begins, task); edge < at(begins, task + 1); edge++) {
      const next = at(followers, edge);
      if (finish > at(starts, next)) starts[next] = finish;
    }
  }
  const latestFinishes = new Float64Array(count).fill(makespan);
  for (let place = count - 1; place >= 0; place--) {
    const task = at(order, place);
    for (let edge = at(begins, task); edge < at(begins, task + 1); edge++) {
      const next = at(followers, edge);
      const latest = at(latestFinishes, next) - at(durations, next);
      if (latest < at(latestFinishes, task)) latestFinishes[task] = latest;
    }
  }
  const times = tasks.map(({ id, duration }, task): TaskTimes => {
    const [earliestStart, latestFinish] = [at(starts, task), at(latestFinishes, task)];
    const latestStart = latestFinish - duration;
    const earliestFinish = earliestStart + duration;
    return { id, earliestStart, earliestFinish, latestStart, latestFinish, slack: latestStart - earliestStart };
  });
  return { makespan, times, critical: longestChain(network, times) };
}

/**
 * The followers of a task are the part of `followers` from its entry in `begins` to that of the
 * next task.
 */
interface Network {
  readonly begins: Int32Array;
  readonly followers: Int32Array;
  /** The number of predecessors of each task. */
  readonly awaited: Int32Array;
}

function networkOf(tasks: readonly PlannedTask[], precedences: readonly Precedence[]): Network {
  const places = new Map<string, number>();
  for (const [place, { id }] of tasks.entries()) places.set(id, place);
  const sources = new Int32Array(precedences.length);
  const targets = new Int32Array(precedences.length);
  const begins = new Int32Array(tasks.length + 1);
  const awaited = new Int32Array(tasks.length);
  let count = 0;
  for (const { source, target } of precedences) {
    const [from, to] = [places.get(source), places.get(target)];
    if (from === undefined || to === undefined || tasks[to]?.independent) continue;
    sources[count] = from;
    targets[count++] = to;
    begins[from + 1] = at(begins, from + 1) + 1;
    awaited[to] = at(awaited, to) + 1;
  }
  for (let task = 0; task < tasks.length; task++) begins[task + 1] = at(begins, task + 1) + at(begins, task);
  const followers = new Int32Array(count);
  const filled = begins.slice();
  for (let index = 0; index < count; index++) {
    const from = at(sources, index);
    followers[at(filled, from)] = at(targets, index);
    filled[from] = at(filled, from) + 1;
  }
  return { begins, followers, awaited };
}

function followersOf({ begins, followers }: Network, task: number): Int32Array {
  return followers.subarray(at(begins, task), at(begins, task + 1));
}

/** Each task after its predecessors; null if there is a cycle. */
function topologicalOrder({ begins, followers, awaited: awaitedCounts }: Network): Int32Array | null {
  const waitsFor = awaitedCounts.slice();
  const order = new Int32Array(waitsFor.length);
  let count = 0;
  for (const [task, awaited] of waitsFor.entries()) if (awaited === 0) order[count++] = task;
  // The list grows during the iteration.
  for (let place = 0; place < count; place++) {
    const task = at(order, place);
    for (let edge = at(begins, task); edge < at(begins, task + 1); edge++) {
      const next = at(followers, edge);
      waitsFor[next] = at(waitsFor, next) - 1;
      if (waitsFor[next] === 0) order[count++] = next;
    }
  }
  return count < order.length ? null : order;
}

/**
 * A task without slack that does not end the plan always has a follower without slack that begins
 * when it ends.
 */
function longestChain(network: Network, times: readonly TaskTimes[]): string[] {
  const chain: string[] = [];
  let last: TaskTimes | null = null;
  const consider = (best: number | null, task: number, begins: number | null): number | null => {
    const { id, slack, earliestStart } = times[task] as TaskTimes;
    if (slack !== 0 || (begins !== null && earliestStart !== begins)) return best;
    return best === null || id < (times[best] as TaskTimes).id ? task : best;
  };
  let task: number | null = null;
  for (const [first, awaited] of network.awaited.entries()) if (awaited === 0) task = consider(task, first, null);
  while (task !== null) {
    last = times[task] as TaskTimes;
    chain.push(last.id);
    let next: number | null = null;
    for (const follower of followersOf(network, task)) next = consider(next, follower, last.earliestFinish);
    task = next;
  }
  return chain;
}

function at(list: Int32Array | Float64Array, index: number): number {
  return list[index] as number;
}
