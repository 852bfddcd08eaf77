// `npm run backup`, `restore` and `import`: makes the checkout ready and hands over to the launcher.
import { prepare } from './prepare.mjs';

prepare();
const { main } = await import('./launcher/dist/maintenance.js');
process.exit(await main(process.argv.slice(2)));
