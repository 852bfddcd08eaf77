// Whether this device stores a copy of the tasks.
import { useState } from 'react';
import { settings as texts } from '../../messages/en/settings.ts';
import { refusalText } from '../../messages/messages.ts';
import { note } from '../../session/notices.ts';
import { usePreference } from '../../session/preferences.ts';
import { storeCopy } from '../../session/session-store.ts';
import { Section } from './section.tsx';

export function DeviceCopy() {
  const isOn = usePreference('copy') !== 'off';
  const [isChanging, setIsChanging] = useState(false);
  const change = () => {
    setIsChanging(true);
    storeCopy(!isOn)
      .then(() => note('done', isOn ? texts.copyDeleted : texts.copyStored))
      .catch((error: unknown) => note('refused', refusalText(error)))
      .finally(() => setIsChanging(false));
  };
  return (
    <Section title={texts.copy} lead={texts.copyLead}>
      <label className="check">
        <input type="checkbox" checked={isOn} aria-disabled={isChanging} onChange={() => !isChanging && change()} />
        {texts.copySwitch}
      </label>
    </Section>
  );
}
