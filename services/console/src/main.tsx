// The entry point of the console.
import './layout/worker-address.ts';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { openSession } from './session/session-store.ts';
import './style/console.css';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(<App />);
void openSession();
