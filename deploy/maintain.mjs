// `npm run backup`, `restore` and `import`: prepares the checkout and runs the launcher's command.
import { prepare } from './prepare.mjs';

prepare();
const { main } = await import('./launcher/dist/maintenance.js');
process.exit(await main(process.argv.slice(2)));
