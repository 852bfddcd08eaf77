// The texts of importing, exporting and the first steps in Arabic.
import type { files as english } from '../en/files.ts';
import type { Translation } from '../translation.ts';
import { count, isolated, LINKS, list, type NounForms, number, OF_LINKS, OF_TASKS, quoted, TASKS } from './words.ts';

const PARTS: NounForms = ['جزء واحد', 'جزأين', 'أجزاء', 'جزءًا', 'جزء'];
const CHANGES: NounForms = ['تغيير واحد', 'تغييران', 'تغييرات', 'تغييرًا', 'تغيير'];
const KINDS: NounForms = ['نوع واحد', 'نوعان', 'أنواع', 'نوعًا', 'نوع'];

/** Places of a loss that are shown. */
const MOST_PLACES = 3;

const more = (amount: number) => `${number(amount)} غيرها`;

export const files: Translation<typeof english> = {
  importTitle: 'استيراد ملف',
  importLead:
    'جداول CSV، وملفات JSON من Taskgraph، والتقاويم، وقوائم المهام، والمخططات، وملفات Vikunja وGitHub وTaskwarrior وTodoist وTrello وMicrosoft Project وTask Master وBeads وغيرها. اختر ملفًا، أو أفلته في أي مكان من الصفحة.',
  bounds: (megabytes, mostTasks, mostLinks) =>
    `أقصى ما يحويه الملف ${number(megabytes)} ميغابايت و${count(mostTasks, OF_TASKS)} و${count(mostLinks, OF_LINKS)}. ترى معاينة قبل استيراد أي شيء.`,
  choose: 'الملف',
  chooseOther: 'اختيار ملف آخر',
  reading: (name) => `جارٍ قراءة ${isolated(name)}`,
  format: 'قراءته على أنه',
  chooseFormat: 'اختر صيغة',
  importFormats: {
    csv: 'جدول CSV',
    taskgraph: 'ملف JSON من Taskgraph',
    vikunja: 'تصدير من Vikunja',
    github: 'مشكلات من GitHub',
    taskwarrior: 'تصدير من Taskwarrior',
    todoist: 'قالب من Todoist',
    psplib: 'خطة من PSPLIB',
    icalendar: 'مهام iCalendar',
    trello: 'لوحة من Trello',
    msproject: 'خطة من Microsoft Project بصيغة XML',
    ganttproject: 'خطة من GanttProject',
    'github-actions': 'سير عمل من GitHub Actions',
    turbo: 'ملف turbo.json',
    patterson: 'خطة Patterson (.rcp)',
    'task-master': 'مهام من Task Master',
    beads: 'مشكلات من Beads',
    markdown: 'قائمة مهام Markdown',
    'todo.txt': 'قائمة todo.txt',
    org: 'مخطط Org',
    mermaid: 'مخطط Mermaid',
    dot: 'رسم DOT',
  },

  notImported: (name) => `تعذّر استيراد ${isolated(name)}. لم يُضف شيء.`,
  atLine: (line, reason) => `السطر ${number(line)}: ${reason}.`,
  faultReason: (reason) => `السبب: ${reason}.`,
  tooLarge: 'الملف كبير جدًا.',
  archive:
    'الملف أرشيف. فكّه أولًا. مهام أرشيف Vikunja في data.json، ومهام النسخة الاحتياطية من Todoist في ملف CSV لكل مشروع.',
  empty: 'الملف فارغ.',
  notText: 'ليس الملف نصًّا بترميز UTF-8.',
  unreadable: (reason) => `لا يستطيع المتصفح قراءته: ${reason}`,
  unknown: (seems) => `يبدو أنه ${seems}. إن كان بإحدى هذه الصيغ فاخترها.`,

  found: (name, amount, linkAmount) => `في ${isolated(name)} ${count(amount, TASKS)} و${count(linkAmount, LINKS)}.`,
  first: 'المهام الأولى',
  columns: { title: 'العنوان', status: 'الحالة', waitsFor: 'تنتظر' },
  waits: (titles, others) => list(others > 0 ? [...titles, more(others)] : [...titles]),
  leftOut: (kinds) => `ما لا يُستورد من أنواع البيانات: ${count(kinds, KINDS)}`,
  nothingLeftOut: 'تُستورد كل البيانات.',
  more: (kinds) => `و${more(kinds)}`,
  loss: (what, amount, places) => {
    const shown = places.slice(0, MOST_PLACES);
    return `${what}: ${list(amount > shown.length ? [...shown, more(amount - shown.length)] : shown)}`;
  },

  priority: (value) => `الأولوية ${number(value)}`,
  table: 'كيف يُقرأ الجدول',
  columnsRead: (read, all) => `الأعمدة: يُقرأ ${number(read)} من ${number(all)}`,
  noColumnName: 'عمود بلا اسم',
  notRead: 'لا يُقرأ',
  usualFields: 'التراجع عن اختيار الحقول',
  fields: {
    title: 'العنوان',
    description: 'الوصف',
    status: 'الحالة',
    completed: 'هل اكتملت',
    group: 'القائمة التي تدل على الحالة',
    due: 'تاريخ الاستحقاق',
    priority: 'الأولوية',
    volume: 'الجهد',
    assignee: 'المكلَّفون',
    tags: 'الوسوم',
    parent: 'المهمة التي توقفها',
    children: 'مهامها الفرعية',
    'waits-for': 'تنتظر',
    blocks: 'توقف',
    related: 'مهام ذات صلة',
    id: 'المعرّف',
    'other-id': 'معرّف آخر',
    outline: 'رقم المخطط',
    level: 'مستوى المخطط',
    independent: 'هل لا توقفها الروابط',
    pinned: 'هل موضعها ثابت',
    collapsed: 'هل هي مطوية',
    x: 'الموضع: س',
    y: 'الموضع: ص',
    z: 'الموضع: ع',
  },
  dates: 'تواريخ مثل 1/2/2030',
  dateOrders: {
    table: 'كما تدل التواريخ الأخرى',
    'day-first': 'اليوم أولًا',
    'month-first': 'الشهر أولًا',
  },
  strict: 'رفض الجدول إذا تعذّرت قراءة خلية',

  where: 'أين تُوضع المهام',
  topLevel: 'في أعلى مستوى: لا تنتظرها أي مهمة.',
  below: (title) => `تنتظرها ${quoted(title)}.`,
  belowChosen: (title) => `تحت ${quoted(title)}`,
  belowOther: 'تحت مهمة أخرى…',
  toTop: 'إلى أعلى مستوى',
  belowHelp: 'ستنتظر تلك المهمة اكتمال المهام المستوردة.',
  cannotWait: 'لا يمكنك أن تجعلها تنتظر',
  parentGone: 'لم تعد المهمة التي كان يجب أن تنتظرها موجودة. اختر أين تُوضع المهام.',

  run: 'استيراد',
  compare: 'تحديث استيراد سابق…',
  acts: {
    import: (name) => `جارٍ استيراد ${isolated(name)}`,
    undo: (name) => `جارٍ التراجع عن استيراد ${isolated(name)}`,
    compare: (name) => `جارٍ مقارنة ${isolated(name)} باستيراده السابق`,
    update: (name) => `جارٍ التحديث من ${isolated(name)}`,
    'undo-update': (name) => `جارٍ التراجع عن التحديث من ${isolated(name)}`,
  },
  compared: (name, changes) =>
    changes === 0
      ? `لا يغيّر ${isolated(name)} شيئًا في شبكتك.`
      : `عدد التغييرات التي يجريها التحديث من ${isolated(name)}: ${count(changes, CHANGES)}. لم يتغيّر شيء بعد.`,
  overwrite: 'استبدال القيم التي غيّرها شخص أيضًا',
  remove: 'نقل المهام والروابط التي لم تعد في الملف إلى سلة المهملات',
  update: 'تحديث',
  updated: (name, changes) => `تم التحديث من ${isolated(name)}: ${count(changes, CHANGES)}.`,
  undoUpdate: 'التراجع عن التحديث',
  updateUndone: (name) => `تم التراجع عن التحديث من ${isolated(name)}.`,
  updateKinds: {
    created: 'مهام جديدة',
    linked: 'روابط جديدة',
    changed: 'مهام تغيّرت',
    link_changed: 'روابط تغيّرت',
    overwritten: 'قيم استُبدلت',
    trashed: 'مهام إلى سلة المهملات',
    unlinked: 'روابط إلى سلة المهملات',
    conflict: 'غيّرها الملف وشخص معًا، ولا تُستبدل',
    gone_task: 'مهام لم تعد في الملف، وتبقى',
    gone_link: 'روابط لم تعد في الملف، وتبقى',
    in_trash: 'مهام في سلة المهملات، وتبقى فيها',
    removed_link: 'روابط أزالها شخص، ولا تُضاف من جديد',
    unreachable: 'مهام لم تعد تراها أو حُذفت',
    ambiguous: 'مهام بلا معرّف ولها العنوان نفسه، ولا تُستورد',
    blocked: 'حالات مهام متوقفة، ولا تُضبط',
    refused: 'تغييرات رفضتها الخدمة',
  },
  progress: (done, parts) => (parts === 0 ? 'جارٍ البدء' : `${number(done)} من ${count(parts, PARTS)}`),
  stop: 'إيقاف',
  stopping: 'يتوقف بعد هذا الجزء',

  imported: (name, amount, linkAmount) =>
    `استُورد ${isolated(name)}: ${count(amount, TASKS)} و${count(linkAmount, LINKS)}.`,
  importedBefore: (name) => `استوردت ${isolated(name)} من قبل. كل ما فيه موجود في شبكتك، ولم يتكرر شيء.`,
  importCopy: 'استيراده مرة أخرى نسخةً',
  undoImport: 'التراجع عن الاستيراد',
  undone: (name) => `تم التراجع عن استيراد ${isolated(name)}. مهامه في سلة المهملات.`,
  again: 'متابعة',
  tryAgain: 'إعادة المحاولة',
  importFailed: (name, stored, parts) =>
    stored === 0
      ? `تعذّر استيراد ${isolated(name)}.`
      : `استُورد بعض ${isolated(name)}: ${number(stored)} من ${count(parts, PARTS)}.`,
  actFailed: {
    undo: (name) => `تعذّر التراجع عن استيراد ${isolated(name)}.`,
    compare: (name) => `تعذّرت مقارنة ${isolated(name)} باستيراد سابق.`,
    update: (name) => `تعذّر إكمال التحديث من ${isolated(name)}.`,
    'undo-update': (name) => `تعذّر التراجع عن التحديث من ${isolated(name)}.`,
  },
  failure: (reason, code, place) =>
    `${reason}${/[.!?؟]\u2069?$/.test(reason) ? '' : '.'} (${isolated(code)}${place.length === 0 ? '' : `، عند ${place.map(quoted).join('، ')}`})`,
  failures: {
    'client.closed': 'أنت أوقفته.',
    'client.other_user': 'المتصفح مسجّل الدخول بحساب آخر',
    'import.not_there': 'لا شيء منه في شبكتك',
    'import.changed': 'تغيّر الملف منذ استيراد بعضه',
    'import.conflict': 'تغيّر شيء منه منذ استيراده، وسيضيع بالتراجع',
    'import.forgotten': 'لم تعد الخدمة تحفظ هذا الاستيراد',
    'import.gone': 'حُذف شيء منه نهائيًا',
    'import.incomplete': 'لم يكتمل استيراد أو تحديث سابق لهذا الملف. أكمله أولًا',
    'import.other_settings': 'كان للاستيراد السابق بهذا الاسم صيغة أخرى أو حقول أعمدة أخرى',
    'import.other_file': 'لا يكاد الملف يحوي شيئًا من مهام الاستيراد السابق، فلعله ملف آخر',
    'import.no_source': 'لم تستورد بعد ملفًا بهذا الاسم وهذه الصيغة',
    'import.replaced': 'بدأ استيراد آخر للملف نفسه',
    'import.too_many_rows': 'بلغت الحد الأقصى للمهام والروابط المستوردة',
  },
  cancel: 'إلغاء',
  close: 'إغلاق',

  exportTitle: 'تصدير',
  exportLead: (amount, linkAmount) =>
    `ما تعرضه الصفحة الآن: ${count(amount, TASKS)} و${count(linkAmount, LINKS)} بينها.`,
  exportEmpty: 'لا تعرض الصفحة أي مهمة، فلا شيء للتصدير.',
  exportFormat: 'الصيغة',
  formats: {
    csv: { name: 'CSV', text: 'جدول لبرامج الجداول. يمكن استيراده من جديد.' },
    json: { name: 'JSON', text: 'كل حقول المهام والروابط. يمكن استيراده من جديد بلا فقد.' },
    ics: { name: 'iCalendar', text: 'مهام بمواعيد استحقاق لبرامج التقويم.' },
    svg: { name: 'SVG', text: 'الرسم، بنصوص يمكن البحث فيها.' },
    png: { name: 'PNG', text: 'الرسم صورةً نقطية.' },
  },
  pictureOnly: 'افتح الشبكة لتصديرها بصيغة SVG أو PNG.',
  save: 'تصدير',
  saving: 'جارٍ كتابة الملف',
  saved: (name, amount) => `صُدّرت ${count(amount, TASKS)} إلى ${isolated(name)}.`,
  notSaved: (reason) => `تعذّر التصدير: ${reason}`,
  pictureTooLarge: 'الرسم أكبر من أن يكون صورة نقطية. صدّره بصيغة SVG، أو اعرض فرعًا أصغر',
  noPicture: 'الرسم غير جاهز بعد',
  allTasks: 'المهام',
  exportLosses: (kinds) => `ما لا تحفظه الصيغة من أنواع البيانات: ${count(kinds, KINDS)}`,

  firstSteps: 'الخطوات الأولى',
  goal: 'سمِّ هدفك',
  goalHelp: 'شيء تريد إنجازه، مثل «افتتاح المتجر».',
  saveGoal: 'حفظ الهدف',
  before: 'ما الذي يجب إنجازه أولًا؟',
  beforeHelp: (goal) => `تنتظر ${quoted(goal)} كلًّا من هذه المهام. أضف واحدة في كل مرة.`,
  saveStep: 'حفظ الخطوة',
  steps: 'الخطوات حتى الآن',
  finish: 'إنهاء',
  showGraph: 'عرض الشبكة',
  dropHere: 'هل لديك خطة؟ أفلت ملفها على هذه الصفحة، أو اختره.',
  importFile: 'استيراد ملف…',
};
