// The scale above the bars: its ticks with their labels, the lines below them, and the present.
import { type RefObject, useEffect, useState } from 'react';
import { type Calendar, dayAt, tickStep, timeAt } from '../../graph/plan-scale.ts';
import { messages } from '../../messages/messages.ts';
import { planTexts } from '../../messages/texts/plan.ts';
import { usePixels } from '../../parts/pixels.ts';

/** The width of a label with some space. */
const LABEL_REM = 6;
/** A label further on would leave the chart. */
const LAST_LABEL = 0.88;

export interface ChartScale {
  /** The time at the end of the chart, in units. */
  readonly end: number;
  readonly calendar: Calendar | null;
}

export function share(time: number, { end }: ChartScale): string {
  return `${(100 * time) / end}%`;
}

export function ScaleLabels({ scale, width }: { readonly scale: ChartScale; readonly width: number }) {
  const { end, calendar } = scale;
  const today = presentIn(scale);
  const ticks = useTicks(scale, width);
  return (
    <div className="plan-labels" aria-hidden="true">
      {ticks
        .filter((time) => time <= LAST_LABEL * end)
        .map((time) => (
          <span key={time} style={{ insetInlineStart: share(time, scale) }}>
            {calendar === null ? planTexts.number(time) : dayText(calendar, time)}
          </span>
        ))}
      {today !== null && (
        <span className="today-label" style={{ insetInlineStart: share(today, scale) }}>
          {planTexts.today}
        </span>
      )}
    </div>
  );
}

/** Lines over the whole height of the table. They ignore the pointer. */
export function ScaleLines({ scale, width }: { readonly scale: ChartScale; readonly width: number }) {
  const today = presentIn(scale);
  const ticks = useTicks(scale, width);
  return (
    <div className="plan-lines" aria-hidden="true" style={{ inlineSize: width }}>
      {ticks.map((time) => (
        <div key={time} style={{ insetInlineStart: share(time, scale) }} />
      ))}
      {today !== null && <div className="today" style={{ insetInlineStart: share(today, scale) }} />}
    </div>
  );
}

/** The present; null without a calendar, and if it is not in the chart. */
function presentIn({ calendar, end }: ChartScale): number | null {
  const today = calendar === null ? -1 : timeAt(calendar, new Date());
  return today < 0 || today > end ? null : today;
}

function dayText(calendar: Calendar, time: number): string {
  const day = dayAt(calendar, time);
  return day === null ? '' : messages.day(day);
}

function useTicks({ end, calendar }: ChartScale, width: number): number[] {
  const labels = Math.max(1, Math.floor(width / usePixels(LABEL_REM)));
  const step = tickStep(end, calendar?.unit ?? null, labels);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}

/** The width of an element in pixels. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const sizes = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    sizes.observe(element.current);
    return () => sizes.disconnect();
  }, [element]);
  return width;
}
