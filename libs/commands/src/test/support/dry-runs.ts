// Dry runs in memory: each random command runs dry and then for real, and the results must agree.
import { namesIn } from '@taskgraph/reference-model/comparison/answers';
import { Difference } from '@taskgraph/reference-model/comparison/sequence';
import type { DrawnCommand, Step } from '@taskgraph/reference-model/random/step';
import { draw } from '@taskgraph/reference-model/random/steps';
import { visibilityChange } from '@taskgraph/reference-model/rules/visibility-change';
import { runCommand } from '@taskgraph/reference-model/run';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { expect } from 'vitest';
import { createComparedRun } from './memory-run.ts';
import { FOUR, type MemorySubject } from './memory-subject.ts';

const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|public-token-\d+/g;

/**
 * A reply with the ids of new entities numbered in order, and without the parts that a dry run
 * lacks.
 */
function comparable(reply: ReplyMessage, known: ReadonlySet<string>): unknown {
  if (!reply.ok) return JSON.parse(numbered(JSON.stringify({ error: reply.error, details: reply.details }), known));
  const {
    feeds: _feeds,
    dryRun: _dryRun,
    sight: _sight,
    batchId: _batchId,
    claimId: _claimId,
    diff,
    ...body
  } = reply.body;
  const { batchId: _id, ...rest } = diff as Record<string, unknown>;
  return JSON.parse(numbered(JSON.stringify({ ...body, diff: rest }), known));
}

function numbered(text: string, known: ReadonlySet<string>): string {
  const made = new Map<string, string>();
  return text.replaceAll(IDS, (id) => {
    if (known.has(id)) return id;
    if (!made.has(id)) made.set(id, `made ${made.size}`);
    return made.get(id) as string;
  });
}

/** Runs one command dry and then for real; returns both answers and the state in between. */
function tryBoth(subject: MemorySubject, command: DrawnCommand) {
  subject.slices.length = 0;
  subject.control.length = 0;
  const kept = subject.checksum();
  const payload = { ...command.payload, dryRun: true };
  const [dry] = subject.sendTogether([{ ...command, payload, key: null }]) as [ReplyMessage];
  const left = { kept: subject.checksum(), pushes: [...subject.slices, ...subject.control] };
  const [real] = subject.sendTogether([{ ...command, key: null }]) as [ReplyMessage];
  return { dry, real, kept, left };
}

/**
 * The step whose dry run differs from the real run, leaves a trace or names wrong e-mails; null if
 * there is none.
 */
export function dryRunDiffersAt(steps: readonly Step[]): Difference | null {
  const { clock, comparison, subject } = createComparedRun();
  comparison.composites = true;
  for (const [serial, step] of steps.entries()) {
    const command = draw(step, { ...comparison, users: FOUR, serial });
    clock.ms += command.kind === 'wait' ? command.ms : 1;
    comparison.wait(new Date(clock.ms).toISOString());
    if (command.kind === 'wait') continue;
    const { now, state } = comparison;
    try {
      const { dry, real, kept, left } = tryBoth(subject, command);
      expect({ command, ...left }).toEqual({ command, kept, pushes: [] });
      const known = new Set(JSON.stringify(state).match(IDS) ?? []);
      expect({ command, answer: comparable(dry, known) }).toEqual({ command, answer: comparable(real, known) });
      comparison.state = runCommand(
        state,
        { ...command, key: null },
        { now, ...namesIn(real, command, subject.slices) },
      ).state;
      if (!dry.ok) continue;
      expect(dry.body).toMatchObject({ dryRun: true, feeds: {}, diff: { batchId: null } });
      const sight = visibilityChange({ before: state, after: comparison.state }, command.actor, now);
      expect({ command, sight: dry.body.sight }).toEqual({ command, sight });
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') return new Difference(serial, error);
      throw error;
    }
  }
  return null;
}
