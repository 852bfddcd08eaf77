// The settings: how the console looks, the account, its sessions, API tokens, bots, calendars and
// webhooks.
import { settings as texts } from '../../messages/texts/settings.ts';
import { Bots } from './bots.tsx';
import { Calendars } from './calendars.tsx';
import { DeviceCopy } from './device-copy.tsx';
import { Display } from './display.tsx';
import { PasswordForm } from './password-form.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';
import { Webhooks } from './webhooks.tsx';
import '../../style/access.css';
import '../../style/settings.css';

export function SettingsView() {
  return (
    <div className="view settings">
      <h1>{texts.title}</h1>
      <Display />
      <DeviceCopy />
      <Profile />
      <PasswordForm />
      <Sessions />
      <Tokens />
      <Bots />
      <Calendars />
      <Webhooks />
    </div>
  );
}
