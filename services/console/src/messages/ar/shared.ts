// The texts of the view of shared tasks in Arabic.
import type { shared as english } from '../en/shared.ts';
import type { Translation } from '../translation.ts';
import { count, isolated, quoted, TASKS } from './words.ts';

export const shared: Translation<typeof english> = {
  lead: 'مهام يشاركها غيرك معك، ومهام تشاركها أنت.',
  withMe: 'مشتركة معك',
  byMe: 'شاركتها أنت',
  withMeEmpty: 'لا مهام مشتركة معك.',
  byMeEmpty: 'لا تشارك أي مهمة. لمشاركة مهمة افتح «الوصول» في جزء تفاصيلها.',
  reading: 'جارٍ تحميل المهام المشتركة',
  reload: 'إعادة المحاولة',
  truncated: 'القائمة غير كاملة.',
  owner: (name) => `المالك ${isolated(name)}`,
  level: (word) => `مستواك ${word}`,
  publicLink: 'رابط عام',
  people: 'الأشخاص',
  peopleOf: (title) => `من لديهم وصول إلى ${quoted(title)}`,
  noPeople: 'ليست مشتركة مع أحد.',
  more: (rows) => `عرض المزيد: ${count(rows, TASKS)}`,
  title: 'المشتركة',
};
