// A secret that the service shows only once. It is nowhere else in the page.
import { settings as texts } from '../../messages/texts/settings.ts';
import { CopyField } from '../../panel/access/copy-field.tsx';

interface NewSecretProps {
  readonly lead: string;
  readonly label: string;
  /** Null while there is none to show. */
  readonly value: string | null;
  readonly onHide: () => void;
}

export function NewSecret({ lead, label, value, onHide }: NewSecretProps) {
  if (value === null) return null;
  return (
    <div className="proposal" role="status">
      <p>{lead}</p>
      <CopyField label={label} value={value} />
      <p className="acts">
        <button type="button" className="plain" onClick={onHide}>
          {texts.hideToken}
        </button>
      </p>
    </div>
  );
}
