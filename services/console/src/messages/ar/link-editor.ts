// The texts of the editor of links in the picture, in Arabic.
import type { linkTexts as english } from '../en/link-editor.ts';
import type { Translation } from '../translation.ts';
import { quoted } from './words.ts';

export const linkTexts: Translation<typeof english> = {
  port: 'اسحب إلى مهمة يجب أن تنتظر هذه',
  choose: (first) => `أي مهمة تنتظر ${quoted(first)}؟`,
  chooseByKeys: (first) =>
    `أي مهمة تنتظر ${quoted(first)}؟ انتقل بمفاتيح الأسهم، واربط بمفتاح Enter، وألغِ بمفتاح Escape.`,
  waits: (waiting, first) => `ستنتظر ${quoted(waiting)} ${quoted(first)}.`,
  relates: (waiting, first) => `سترتبط ${quoted(waiting)} و${quoted(first)} فقط: لا تنتظر إحداهما الأخرى.`,
  cannot: (reason) => `غير ممكن: ${reason}`,
  newTask: (first) => `ستنتظر مهمة جديدة ${quoted(first)}.`,
  firstIsGone: (title) => `تعذّرت إضافة ${quoted(title)}: زالت المهمة التي قبلها.`,
  nameFirst: 'اضغط Enter لإضافة المهمة الجديدة، أو Escape لتجاهلها.',
  notAdded: (title) => `تعذّرت إضافة ${quoted(title)}.`,
  newTitle: (first) => `عنوان المهمة التي تنتظر ${quoted(first)}`,
};
