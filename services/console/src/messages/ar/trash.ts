// The texts of the trash in Arabic.
import type { trash as english } from '../en/trash.ts';
import type { Translation } from '../translation.ts';
import { isolated, number, quoted } from './words.ts';

export const trash: Translation<typeof english> = {
  lead: 'تحذف الخدمة المهام التي في سلة المهملات نهائيًا بعد مدة، وهي 30 يومًا عادةً.',
  loading: 'جارٍ تحميل سلة المهملات',
  empty: 'سلة المهملات فارغة.',
  more: 'عرض المزيد',
  failed: (reason) => `تعذّر تحميل سلة المهملات: ${reason}`,
  again: 'إعادة المحاولة',
  since: (moment) => `منذ ${moment}`,
  of: (owner) => `المالك ${isolated(owner)}`,
  restore: 'استعادة',
  restoreTask: (title) => `استعادة: ${isolated(title)}`,
  restored: (title, skipped) =>
    skipped === 0
      ? `استُعيدت ${quoted(title)} مع روابطها.`
      : `استُعيدت ${quoted(title)}. بقي من روابطها في سلة المهملات ${number(skipped)}: كانت ستشكّل حلقة أو تكرر رابطًا آخر.`,
  delete: 'حذف نهائي',
  deleteTask: (title) => `حذف نهائي: ${isolated(title)}`,
  deleteTitle: (title) => `هل تحذف ${quoted(title)} نهائيًا؟`,
  deleteText: 'يحذف هذا المهمة مع روابطها التي في سلة المهملات، وينهي مشاركاتها. لا يمكن التراجع عنه.',
  deleted: (title) => `حُذفت ${quoted(title)} نهائيًا.`,
};
