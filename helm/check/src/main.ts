// `npm run check:helm`: proves the chart; `npm run helm:generate`: writes its generated files.
import { writeGenerated } from './generate.ts';

if (process.argv.includes('--generate')) await writeGenerated();
