// The plan: a bar for each task at its earliest times, with its slack. Another effort is a question
// first: the page shows what would move, and sends nothing before the reader decides.
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { alongLine } from '../../arrow-keys.ts';
import { inPlanOrder, type PlannedTask } from '../../graph/plan-order.ts';
import { type Calendar, isLate, timeAt } from '../../graph/plan-scale.ts';
import type { Task } from '../../graph/task.ts';
import type { Answer } from '../../graph/what-if.ts';
import { goTo } from '../../history.ts';
import { messages } from '../../messages/messages.ts';
import { planTexts } from '../../messages/texts/plan.ts';
import { usePixels } from '../../parts/pixels.ts';
import { pathOf } from '../../routes.ts';
import { extendByStep, useSelectable, useSelection } from '../../session/selection.ts';
import { useShownTasks } from '../../session/shown-tasks.tsx';
import { useWorkspace } from '../../session/workspace.tsx';
import '../../style/plan.css';
import { FilteredEmpty } from '../filtered-empty.tsx';
import { Gap, rowKeyAt, useActiveRow, useRowParts } from '../virtual-rows.tsx';
import { type ChartScale, ScaleLabels, ScaleLines, useWidth } from './chart-scale.tsx';
import { PlanRow } from './plan-row.tsx';
import { QuestionLine } from './question-line.tsx';
import { StartFields, useCalendar } from './start-fields.tsx';
import { useWhatIf } from './use-what-if.ts';

/** The height of a row, as in plan.css. */
const ROW_REM = 2.75;
/** Rows by which Page up and Page down move. */
const PAGE_ROWS = 10;

export function PlanView({ chosen }: { readonly chosen: string | null }) {
  const { plan } = useWorkspace();
  const calendar = useCalendar();
  const scroller = useRef<HTMLDivElement>(null);
  return (
    <div className="plan-scroller" ref={scroller}>
      <h1>{messages.plan.title}</h1>
      <p className="quiet">{planTexts.lead}</p>
      <StartFields calendar={calendar} />
      {plan === undefined ? (
        <p className="hint">{messages.opening}</p>
      ) : plan === null ? (
        <p className="hint">{messages.ready.noPlan}</p>
      ) : plan.tasks.size === 0 ? (
        <p className="hint">{messages.ready.first}</p>
      ) : (
        <Chart chosen={chosen} calendar={calendar} scroller={scroller} />
      )}
    </div>
  );
}

interface ChartProps {
  readonly chosen: string | null;
  readonly calendar: Calendar | null;
  readonly scroller: RefObject<HTMLDivElement | null>;
}

function Chart({ chosen, calendar, scroller }: ChartProps) {
  const { graph, planned } = useWorkspace();
  const rows = useRows();
  const [active, setActive] = useState<string | null>(null);
  useSelectable(() => [rows.map(({ id }) => id)]);
  const { question, answer, isDragging, drag, change, accept, discard } = useWhatIf();
  const scale = useScale(answer, calendar, isDragging);
  const activeIndex = Math.max(
    0,
    rows.findIndex(({ id }) => id === active),
  );
  useActiveRow(scroller, { key: active, index: activeIndex });

  const activate = (index: number) => setActive(rows[Math.min(rows.length - 1, Math.max(0, index))]?.id ?? null);
  /** Ends the question, and returns to its row. */
  const finish = (act: () => void) => {
    if (question === null) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(question.id)}"]`);
    row?.focus({ preventScroll: true });
    setActive(question.id);
    act();
  };
  const endByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || question === null) return;
    // The panel would close.
    event.stopPropagation();
    finish(discard);
  };
  const press = (event: KeyboardEvent) => {
    const key = rowKeyAt(event.target);
    const index = rows.findIndex(({ id }) => id === key);
    const row = rows[index];
    if (row === undefined) return endByKey(event);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = stepOf(event);
    if (by !== 0) change(row.id, by);
    else if (event.key === 'Enter') goTo(pathOf({ view: 'task', id: row.id }));
    else if (Object.hasOwn(MOVES, event.key)) {
      const next = MOVES[event.key]?.(index, rows.length) ?? 0;
      activate(next);
      if (event.shiftKey) extendByStep(row.id, rows[Math.min(rows.length - 1, Math.max(0, next))]?.id ?? row.id);
    } else return endByKey(event);
    event.preventDefault();
  };

  return (
    <>
      <p className="unseen" id="plan-help">
        {planTexts.help}
      </p>
      <PlanTable
        rows={rows}
        scroller={scroller}
        scale={scale}
        answer={answer}
        active={activeIndex}
        chosen={chosen}
        onKeyDown={press}
        onActivate={setActive}
        onDrag={drag}
      />
      {rows.length === 0 && <FilteredEmpty whenAll={messages.ready.first} />}
      <QuestionLine
        task={question === null ? undefined : graph.task(question.id)}
        question={question}
        answer={answer}
        scale={scale}
        becomeLate={answer === null ? 0 : countLate(answer, planned, calendar, graph.task)}
        onAccept={() => finish(accept)}
        onDiscard={() => finish(discard)}
        onKeyDown={endByKey}
      />
    </>
  );
}

interface PlanTableProps {
  readonly rows: readonly PlannedTask[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly scale: ChartScale;
  readonly answer: Answer | null;
  /** The row with the focus. */
  readonly active: number;
  readonly chosen: string | null;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onActivate: (id: string) => void;
  readonly onDrag: (task: Task, volume: number, isDone: boolean) => void;
}

function PlanTable(props: PlanTableProps) {
  const { rows, scroller, scale, answer, active, chosen, onKeyDown, onActivate, onDrag } = props;
  const chart = useRef<HTMLTableCellElement>(null);
  const width = useWidth(chart);
  const rowHeight = usePixels(ROW_REM);
  const parts = useRowParts(scroller, { rows: rows.length, rowHeight, active });
  const selection = useSelection();
  return (
    <div className="plan-table">
      <ScaleLines scale={scale} width={width} />
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows take the focus and keys.
        role="grid"
        aria-label={planTexts.list}
        aria-describedby="plan-help"
        aria-rowcount={rows.length}
        aria-multiselectable="true"
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr>
            <th scope="col">{planTexts.task}</th>
            <th scope="col" ref={chart}>
              <span className="unseen">{scale.calendar === null ? planTexts.units : planTexts.days}</span>
              <ScaleLabels scale={scale} width={width} />
            </th>
          </tr>
        </thead>
        <tbody>
          {parts.map((part) => {
            if (part.row === null) return <Gap key={`gap ${part.start}`} rows={part.rows} rowHeight={rowHeight} />;
            const row = rows[part.row] as PlannedTask;
            return (
              <PlanRow
                key={row.id}
                planned={row}
                index={part.row}
                scale={scale}
                moved={answer?.timesOf(row.id) ?? null}
                isActive={part.row === active}
                isChosen={row.id === chosen}
                isSelected={selection.has(row.id)}
                onActivate={onActivate}
                onDrag={onDrag}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const MOVES: Readonly<Record<string, (index: number, rows: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  PageDown: (index) => index + PAGE_ROWS,
  PageUp: (index) => index - PAGE_ROWS,
  Home: () => 0,
  End: (_index, rows) => rows - 1,
};

/** By how much a key changes the effort. */
function stepOf({ key: pressed, shiftKey }: KeyboardEvent): number {
  const key = alongLine(pressed);
  if (key === '+' || key === '=' || (shiftKey && key === 'ArrowRight')) return 1;
  return key === '-' || (shiftKey && key === 'ArrowLeft') ? -1 : 0;
}

/** The shown tasks in the order of the plan. */
function useRows(): readonly PlannedTask[] {
  const { graph, planned } = useWorkspace();
  const shown = useShownTasks();
  const version = shown.version();
  // Only another plan has another order. A task that enters or leaves costs no sort.
  const ordered = useMemo(() => inPlanOrder([...planned.values()], graph), [planned, graph]);
  return useMemo(() => (version < 0 ? [] : ordered.filter(({ id }) => shown.has(id))), [ordered, shown, version]);
}

/** It ends behind the plan, its answer and the present. While a bar is dragged, it stays. */
function useScale(answer: Answer | null, calendar: Calendar | null, isDragging: boolean): ChartScale {
  const { plan } = useWorkspace();
  const last = useRef<ChartScale | null>(null);
  const today = calendar === null ? 0 : Math.min(timeAt(calendar, new Date()), MOST_PAST * (plan?.makespan ?? 0));
  const end = MARGIN * Math.max(1, plan?.makespan ?? 0, answer?.after ?? 0, today);
  const scale = useMemo(() => ({ end, calendar }), [end, calendar]);
  const shown = isDragging ? (last.current ?? scale) : scale;
  useEffect(() => {
    last.current = shown;
  });
  return shown;
}

/** Space to drag the last bar into. */
const MARGIN = 1.15;
/** A plan that began long ago may not shrink to a dot. */
const MOST_PAST = 3;

/** The tasks that are late with the answer, and not without it. */
function countLate(
  { ids, timesOf }: Answer,
  planned: ReadonlyMap<string, PlannedTask>,
  calendar: Calendar | null,
  taskOf: (id: string) => Task | undefined,
): number {
  const now = Date.now();
  let late = 0;
  for (const id of ids) {
    const [task, before, after] = [taskOf(id), planned.get(id), timesOf(id)];
    if (task === undefined || before === undefined || after === null) continue;
    if (isLate(task, after.earliestFinish, calendar, now) && !isLate(task, before.earliestFinish, calendar, now))
      late++;
  }
  return late;
}
