// calendars: addresses from which calendar programs read the due dates of the signed-in user. They
// need a session. Rule: ICAL1.
import { type Calendar, momentText, type NewCalendar } from '@taskgraph/client';
import { type Command, Option } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';
import { conditionsIn } from '../service/conditions.ts';
import { startFlag } from '../service/times.ts';

interface CalendarFlags {
  readonly root?: string;
  readonly where?: string;
  readonly as?: Calendar['as'];
  readonly plan?: PlanUnit;
  readonly start?: string;
}

type PlanUnit = NonNullable<Calendar['planned']>['unit'];

const UNITS: readonly PlanUnit[] = ['minute', 'hour', 'day', 'week'];
const PATH = '/api/calendar';

export function addCalendarCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const calendars = program
    .command('calendars')
    .description('manage your calendars: addresses from which calendar programs read due dates');
  const showNew = (created: NewCalendar) => {
    context.output.note('The service shows this address only once. Everyone who knows it can read the calendar.');
    context.show(globalOptions(), created, () => [created.url]);
  };
  calendars
    .command('list', { isDefault: true })
    .description('list your calendars')
    .action(async () => {
      const all = await calendarsOf(context);
      const { columns, paint } = context.output;
      context.show(globalOptions(), all, () => {
        if (all.length === 0) return [paint.dim('There are no calendars.')];
        const rows = all.map(({ name, as, lastUsed }) => [name, as, lastUsed === null ? '' : momentText(lastUsed)]);
        return tableOf(rows, { heads: ['calendar', 'entries', 'last request'], columns, paintHead: paint.bold });
      });
    });
  calendars
    .command('create')
    .description('create a calendar and print its address')
    .argument('<name>', 'its name, which calendar programs show')
    .option('--root <node>', 'only the branch of this node')
    .option('--where <json>', 'conditions as node:find takes them, such as {"assignee": ["me"]}')
    .addOption(new Option('--as <entries>', 'events on due dates, or tasks').choices(['event', 'todo']))
    .addOption(new Option('--plan <unit>', 'add the plan; the unit of volume').choices(UNITS))
    .option('--start <time>', 'when the plan starts; without it, today; with --plan')
    .action(async (name: string, { root, where, as, plan, start }: CalendarFlags) => {
      const body = {
        name,
        root: root === undefined ? undefined : (await context.node(root)).id,
        where: where === undefined ? undefined : conditionsIn(where),
        as,
        planned: plannedBy(plan, start),
      };
      showNew(await context.request<NewCalendar>('POST', PATH, body));
    });
  calendars
    .command('rotate')
    .description('give a calendar another address, and end the present one')
    .argument('<calendar>', 'its name or its id')
    .action(async (reference: string) => {
      const { id } = await calendarNamed(context, reference);
      showNew(await context.request<NewCalendar>('POST', `${PATH}/rotate`, { id }));
    });
  calendars
    .command('remove')
    .description('remove a calendar and end its address')
    .argument('<calendar>', 'its name or its id')
    .action(async (reference: string) => {
      const { id, name } = await calendarNamed(context, reference);
      await context.request('DELETE', PATH, { id });
      context.show(globalOptions(), { id, removed: true }, () => [`removed ${name}`]);
    });
}

function plannedBy(unit: PlanUnit | undefined, start: string | undefined): object | undefined {
  if (unit !== undefined) return start === undefined ? { unit } : { unit, start: startFlag(start, unit).start };
  if (start === undefined) return undefined;
  throw new CliError('usage', '--start needs --plan.', 'Add --plan with the unit of volume.');
}

async function calendarsOf(context: Context): Promise<readonly Calendar[]> {
  return (await context.request<{ readonly calendars: readonly Calendar[] }>('GET', PATH)).calendars;
}

/** The one calendar that the words name. */
async function calendarNamed(context: Context, reference: string): Promise<Calendar> {
  const found = (await calendarsOf(context)).filter(({ id, name }) => id === reference || name === reference);
  const [calendar, ...others] = found;
  if (calendar === undefined) {
    throw new CliError('notFound', `There is no calendar ${reference}.`, 'taskgraph calendars lists them.');
  }
  if (others.length === 0) return calendar;
  const hint = 'Give the id: taskgraph calendars --json';
  throw new CliError('usage', `${found.length} calendars are named ${reference}.`, hint);
}
