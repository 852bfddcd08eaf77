// The entry point of the console.
import './worker/worker-address.ts';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { placeOf } from './routes.ts';
import { applyPreferences } from './session/preferences.ts';
import { startSession } from './session/session-store.ts';
import './style/console.css';
import './style/print.css';
import { registerServiceWorker } from './worker/service-worker-registration.ts';

applyPreferences();
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(<App />);
// A published page needs no session, receives nothing about its reader, and stores nothing.
if (placeOf(location.pathname).view !== 'published') {
  void startSession();
  registerServiceWorker();
}
