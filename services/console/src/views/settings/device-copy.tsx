// Whether this device stores a copy of the tasks.
import { useState } from 'react';
import { refusalText } from '../../messages/messages.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { note } from '../../session/notices.ts';
import { usePreference } from '../../session/preferences.ts';
import { setCopyEnabled } from '../../session/session-store.ts';
import { Section } from './section.tsx';

/** Browsers have locks only on pages with TLS or of this machine; without them, tabs cannot share a copy. */
const canStore = 'locks' in navigator;

export function DeviceCopy() {
  const isOn = usePreference('copy') !== 'off' && canStore;
  const [isChanging, setIsChanging] = useState(false);
  const change = () => {
    setIsChanging(true);
    setCopyEnabled(!isOn)
      .then((isDone) => isDone && note('done', isOn ? texts.copyDeleted : texts.copyStored))
      .catch((error: unknown) => note('refused', refusalText(error)))
      .finally(() => setIsChanging(false));
  };
  return (
    <Section title={texts.copy} lead={canStore ? texts.copyLead : texts.copyInsecure}>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={!canStore}
          aria-disabled={isChanging}
          onChange={() => !isChanging && change()}
        />
        {texts.copySwitch}
      </label>
    </Section>
  );
}
