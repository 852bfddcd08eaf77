// The first day of the plan and the length of a unit of effort. Both are in the address.
import { useId, useMemo } from 'react';
import { type Calendar, calendarOf, UNITS } from '../../graph/plan-scale.ts';
import { setParameters, useParameter } from '../../history.ts';
import { planTexts } from '../../messages/texts/plan.ts';

export function useCalendar(): Calendar | null {
  const [start, unit] = [useParameter('start'), useParameter('unit')];
  return useMemo(() => calendarOf(start, unit), [start, unit]);
}

export function StartFields({ calendar }: { readonly calendar: Calendar | null }) {
  const id = useId();
  const start = useParameter('start') ?? '';
  return (
    <div className="plan-start">
      <label htmlFor={`${id}start`}>{planTexts.startsOn}</label>
      <input
        id={`${id}start`}
        type="date"
        max="9999-12-31"
        value={start}
        onChange={({ target }) =>
          setParameters({ start: target.value === '' ? null : target.value }, { replace: true })
        }
      />
      {calendar === null ? (
        <span className="quiet">{planTexts.noStart}</span>
      ) : (
        <>
          <label htmlFor={`${id}unit`}>{planTexts.unit}</label>
          <select
            id={`${id}unit`}
            value={calendar.unit}
            onChange={({ target }) => setParameters({ unit: target.value }, { replace: true })}
          >
            {UNITS.map((unit) => (
              <option key={unit} value={unit}>
                {planTexts.unitNames[unit]}
              </option>
            ))}
          </select>
        </>
      )}
    </div>
  );
}
