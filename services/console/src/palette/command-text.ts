// The text of a command in the reader's language.

import { messages } from '../messages/messages.ts';
import { paletteTexts } from '../messages/texts/palette.ts';
import { VIEW_NAMES } from '../routes.ts';
import type { CommandName } from './commands.ts';

export function commandText(name: CommandName): string {
  const { commands } = paletteTexts;
  const view = VIEW_NAMES.find((each) => name === `go ${each}`);
  return view === undefined
    ? commands[name as Exclude<CommandName, `go ${string}`>]
    : commands.go(messages[view].title);
}
