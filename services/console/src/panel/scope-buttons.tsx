// Limits all views to what is below the task of the panel, or near it.
import { setParameters } from '../history.ts';
import { edit } from '../messages/texts/edit.ts';
import { focusOn, setNeighbourhood, useFilter } from '../session/shown-tasks.tsx';

/** The width is that of the style sheets. */
const isPhone = () => matchMedia('(max-width: 44rem)').matches;

interface ScopeButtonsProps {
  readonly id: string;
  readonly onClose: () => void;
}

export function ScopeButtons({ id, onClose }: ScopeButtonsProps) {
  const { root, neighbourhood } = useFilter();
  const isBranch = root === id;
  const isNear = neighbourhood?.id === id;
  const act = (change: () => void) => () => {
    change();
    // On a phone, the panel covers the view.
    if (isPhone()) onClose();
  };
  return (
    <div className="scope-buttons">
      <button type="button" aria-pressed={isBranch} onClick={act(() => setParameters({ in: isBranch ? null : id }))}>
        {edit.onlyBranch}
      </button>
      <button type="button" aria-pressed={isNear} onClick={act(() => (isNear ? setNeighbourhood(null) : focusOn(id)))}>
        {edit.onlyNeighbours}
      </button>
    </div>
  );
}
