// The texts of the console in Arabic, as one file: the page loads it before it shows anything.
import { access } from './ar/access.ts';
import { boardTexts } from './ar/board.ts';
import { changes } from './ar/changes.ts';
import { edit } from './ar/edit.ts';
import { files } from './ar/files.ts';
import { forms } from './ar/forms.ts';
import { graphTexts } from './ar/graph.ts';
import { linkTexts } from './ar/link-editor.ts';
import { main } from './ar/main.ts';
import { paletteTexts } from './ar/palette.ts';
import { planTexts } from './ar/plan.ts';
import { published } from './ar/published.ts';
import { selection } from './ar/selection.ts';
import { settings } from './ar/settings.ts';
import { shared } from './ar/shared.ts';
import { trash } from './ar/trash.ts';
import { tray } from './ar/tray.ts';
import { undo } from './ar/undo.ts';
import { users } from './ar/users.ts';

/** By the names of the modules of the English texts. */
export const arabic = {
  main,
  access,
  board: boardTexts,
  changes,
  edit,
  files,
  forms,
  graph: graphTexts,
  'link-editor': linkTexts,
  palette: paletteTexts,
  plan: planTexts,
  published,
  selection,
  settings,
  shared,
  trash,
  tray,
  undo,
  users,
};
