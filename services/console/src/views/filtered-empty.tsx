// The text of a view without tasks: the filter leaves none, or there are none.
import { messages } from '../messages/messages.ts';
import { clearFilter, useFilter } from '../session/shown-tasks.tsx';

interface FilteredEmptyProps {
  /** The text if there is no filter. */
  readonly whenAll: string;
  readonly whenFiltered?: string;
}

export function FilteredEmpty({ whenAll, whenFiltered = messages.filter.none }: FilteredEmptyProps) {
  const { isOn } = useFilter();
  if (!isOn) return <p className="hint">{whenAll}</p>;
  return (
    <div className="hint">
      <p>{whenFiltered}</p>
      <button
        type="button"
        onClick={() => {
          document.getElementById('content')?.focus();
          clearFilter();
        }}
      >
        {messages.filter.clear}
      </button>
    </div>
  );
}
