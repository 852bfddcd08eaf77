// Scenario `fanout`: processor time per delivery of the pushing processes, with 1,000 sockets: two
// gateways against plain Socket.IO.
// Paced updates are sent one at a time; updates of a burst coincide, so that several may leave in
// one write. Plain Socket.IO relays to all others in the room, socket by socket, as most programs
// do. Results named `room-` compare with one publication to the whole room.
import { addCpu, type Cpu } from '../measure/cpu.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { openPushSides, type Push, type PushSide } from './push-sides.ts';

const SOCKETS = 1_000;
const GUESTS = 20;
const PACES = { paced: { rate: 40, burst: 1 }, bursts: { rate: 40, burst: 20 } } as const;
type PaceName = keyof typeof PACES;

export const fanout: Measurement = { stack: { gateways: 2 }, run };

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const { ours, baseline, stop } = await openPushSides(stack, GUESTS);
  try {
    for (const side of [ours, baseline]) await side.open(SOCKETS);
    const turn = (side: PushSide) => async () =>
      costOf([await side.sendUpdates({ ...PACES.paced, ms: pace.turnMs })], side);
    note('warming up');
    const warmed = await warmUp({ baseline: turn(baseline), ours: turn(ours) }, pace.warmUpLimitMs, note);
    const results: Result[] = [];
    for (const name of Object.keys(PACES) as PaceName[]) {
      const pushes = { ours: [] as Push[], baseline: [] as Push[], others: [] as Push[] };
      const updateRate = { ...PACES[name], ms: pace.turnMs };
      for (let at = 1; at <= pace.turns; at++) {
        pushes.baseline.push(await baseline.sendUpdates(updateRate));
        pushes.others.push(await baseline.sendUpdates({ ...updateRate, event: 'update:others' }));
        pushes.ours.push(await ours.sendUpdates(updateRate));
        const [own, room, others] = [us(pushes.ours, ours), us(pushes.baseline, baseline), us(pushes.others, baseline)];
        note(
          `${name}, turn ${at} of ${pace.turns}: ours ${own}, plain to the room ${room}, to the others ${others} µs`,
        );
      }
      const [own, room, others] = [
        costOf(pushes.ours, ours),
        costOf(pushes.baseline, baseline),
        costOf(pushes.others, baseline),
      ];
      const lineOf = (scenario: string, against: number, other: readonly Push[]) =>
        resultOf({
          scenario,
          unit: 'CPU µs a delivery',
          warmUp: warmed,
          ours: own,
          baseline: against,
          cpu: { ours: all(pushes.ours), baseline: all(other) },
          notes: [...completeness('ours', pushes.ours, SOCKETS), ...completeness('baseline', other, SOCKETS)],
        });
      results.push(lineOf(`fanout ${name}`, others, pushes.others));
      results.push(lineOf(`fanout room-${name}`, room, pushes.baseline));
    }
    return results;
  } finally {
    await stop();
  }
}

/** Microseconds of the gateways, or of the plain server. */
function costOf(pushes: readonly Push[], { name }: PushSide): number {
  return (all(pushes)[name === 'ours' ? 'gateway' : 'baseline server'] as number) * 1_000;
}

/** Milliseconds per delivery, by role. */
function all(pushes: readonly Push[]): Cpu {
  const deliveries = pushes.reduce((sum, { received }) => sum + received.deliveries, 0);
  const cpu = addCpu(pushes.map((push) => push.cpu));
  return Object.fromEntries(Object.entries(cpu).map(([role, ms]) => [role, ms / deliveries]));
}

function us(pushes: readonly Push[], side: PushSide): string {
  return costOf(pushes.slice(-1), side).toFixed(2);
}

/** Notes the number of deliveries, because missing ones would make the rest look cheap. */
function completeness(name: string, pushes: readonly Push[], sockets: number): string[] {
  const wanted = pushes.reduce((sum, { sentUpdates }) => sum + sentUpdates.answeredUs.size * sockets, 0);
  const got = pushes.reduce((sum, { received }) => sum + received.deliveries, 0);
  const bytes = pushes.at(-1)?.received.bytes ?? 0;
  return [`${name}: ${got} of ${wanted} deliveries came, of ${bytes} bytes`];
}
