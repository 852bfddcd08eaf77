// Why a file was not imported, in words.

import { englishText, errorCodeText } from '../messages/messages.ts';
import { files as texts } from '../messages/texts/files.ts';
import type { FileFault, TransferFailure } from '../transfer/file-messages.ts';

export function faultText(fault: FileFault): string {
  switch (fault.kind) {
    case 'too-large':
      return texts.tooLarge;
    case 'archive':
      return texts.archive;
    case 'empty':
      return texts.empty;
    case 'not-text':
      return texts.notText;
    case 'unreadable':
      return texts.unreadable(englishText(fault.reason));
    case 'unknown':
      return texts.unknown(englishText(fault.seems));
    case 'broken':
      return fault.line === null
        ? texts.faultReason(englishText(fault.reason))
        : texts.atLine(fault.line, englishText(fault.reason));
  }
}

/** With the code, and the tasks that it concerns. */
export function transferFailureText({ code, message, place }: TransferFailure): string {
  return texts.failure(texts.failures[code] ?? errorCodeText(code, message), code, place);
}
