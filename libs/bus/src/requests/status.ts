// Reports of running services: a worker requests them from all services at once. Rule: ADMIN3.
//
// 1. No one knows how many services run, so a survey ends when no further report came for a while:
//    longer than a service takes that waits for an unreachable backend.
// 2. Only workers publish requests, and only they receive reports (deploy/nats/users.conf).
import { randomUUID } from 'node:crypto';
import {
  MAXIMUM_SERVICES,
  REPORT_LIMIT_MS,
  type StatusReply,
  type StatusRequest,
  statusReply,
  statusRequest,
} from '@taskgraph/wire/bus/status-messages';
import type { Bus } from '../nats/connect.ts';
import { STATUS_INBOX, STATUS_SUBJECT } from '../nats/subjects.ts';
import type { RunningSubscription } from './serve.ts';

/** A survey ends this long after its last report, and after this long in any case. */
const DEFAULT_TIMES: SurveyTimes = { quietMs: REPORT_LIMIT_MS + 700, limitMs: 5_000 };
/** Requests that one service answers at once; it drops further ones. */
const MAXIMUM_IN_FLIGHT = 8;

interface SurveyTimes {
  readonly quietMs: number;
  readonly limitMs: number;
}

/** The reports of a survey. */
export interface SurveyResult {
  readonly replies: readonly StatusReply[];
  /** Whether more services answered than the bound allows. */
  readonly truncated: boolean;
}

/** Requests reports of all services, or with details of one process. Rejects if the connection is closed. */
export type Survey = (process: string | null) => Promise<SurveyResult>;

export function createSurvey(bus: Bus, { quietMs, limitMs }: SurveyTimes = DEFAULT_TIMES): Survey {
  return (process) =>
    new Promise((resolve, reject) => {
      const replies = new Map<string, StatusReply>();
      let truncated = false;
      const stop = () => {
        clearTimeout(limit);
        clearTimeout(quiet);
        subscription.unsubscribe();
      };
      const end = () => {
        stop();
        resolve({ replies: [...replies.values()], truncated });
      };
      const receive = (reply: StatusReply | null) => {
        // The first report of a process counts: further ones must not replace it or prolong the survey.
        if (reply === null || replies.has(reply.report.process)) return;
        truncated = replies.size >= MAXIMUM_SERVICES;
        if (!truncated) replies.set(reply.report.process, reply);
        if (truncated || reply.report.process === process) end();
        else quiet.refresh();
      };
      const inbox = `${STATUS_INBOX}.${randomUUID()}`;
      const subscription = bus.connection.subscribe(inbox, {
        callback(error, message) {
          if (error) bus.log.error({ error }, 'the subscription to reports of services failed');
          else receive(readReply(bus, () => message.json()));
        },
      });
      const quiet = setTimeout(end, process === null ? quietMs : limitMs);
      const limit = setTimeout(end, limitMs);
      try {
        bus.connection.publish(STATUS_SUBJECT, JSON.stringify({ process } satisfies StatusRequest), { reply: inbox });
      } catch (error) {
        stop();
        reject(error);
      }
    });
}

function readReply(bus: Bus, read: () => unknown): StatusReply | null {
  try {
    return statusReply.parse(read());
  } catch (error) {
    bus.log.error({ error }, 'a report of a service is malformed');
    return null;
  }
}

/**
 * Answers requests for reports, each with the handler's reply; null for none. Malformed requests and
 * errors of the handler are logged.
 */
export function serveStatus(
  bus: Bus,
  handler: (request: StatusRequest) => Promise<StatusReply | null>,
): RunningSubscription {
  const inFlight = new Set<Promise<void>>();
  const subscription = bus.connection.subscribe(STATUS_SUBJECT, {
    callback(error, message) {
      // The users of an earlier release may not subscribe to it: this service reports nothing then.
      if (error) return bus.log.warn({ error }, 'the subscription to requests for reports failed');
      if (inFlight.size >= MAXIMUM_IN_FLIGHT)
        return bus.log.warn({ inFlight: inFlight.size }, 'a request for a report is dropped: too many are in progress');
      const { reply = '' } = message;
      const work = answer(bus, reply, () => handler(statusRequest.parse(message.json()))).finally(() =>
        inFlight.delete(work),
      );
      inFlight.add(work);
    },
  });
  return {
    async stop() {
      if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
      await Promise.all(inFlight);
    },
  };
}

async function answer(bus: Bus, subject: string, make: () => Promise<StatusReply | null>): Promise<void> {
  try {
    // The sender chooses the subject.
    if (!subject.startsWith(`${STATUS_INBOX}.`)) throw new Error('the subject for the report is not one for reports');
    const reply = await make();
    if (reply !== null) bus.publish(subject, Buffer.from(JSON.stringify(reply)));
  } catch (error) {
    bus.log.error({ error }, 'a request for a report could not be answered');
  }
}
