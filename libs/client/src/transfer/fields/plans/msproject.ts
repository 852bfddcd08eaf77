// The elements of Microsoft Project's XML, as its schema lists them. Rule: IO9.
import { all, CREATION_TIME, IMPLIED, READ, RECURRENCE, type SourceFields, unread } from '../source-field.ts';

const isNot = (usual: readonly string[]) => (value: unknown) => value !== '' && !usual.includes(String(value));

export const PROJECT_FIELDS: SourceFields = {
  ...all(['Tasks', 'Resources', 'Assignments', 'DefaultFinishTime'], READ),
  ...all(['Title', 'Subject', 'Category', 'Company', 'Manager', 'Author'], unread('the description of a project')),
  ...all(['StartDate', 'FinishDate', 'ScheduleFromStart'], unread('the start and finish of a project')),
  ...all(['Calendars', 'CalendarUID', 'BaseCalendars'], unread('the calendars of a project')),
  ...all(['OutlineCodes', 'WBSMasks', 'ExtendedAttributes'], unread('the custom fields of a project')),
  ...all(['Views', 'Filters', 'Groups', 'Tables', 'Maps', 'Reports', 'Drawings', 'DataLinks'], unread('a view')),
  ...all(['VBAProjects', 'EventHandlers', 'Macros'], unread('a program in a project')),
  // Settings of the program, and the history of the file.
  ...all(['SaveVersion', 'BuildNumber', 'UID', 'GUID', 'Name', 'CreationDate', 'Revision', 'LastSaved'], IMPLIED),
  ...all(['FYStartDate', 'CriticalSlackLimit', 'CurrencyDigits', 'CurrencySymbol', 'CurrencyCode'], IMPLIED),
  ...all(['CurrencySymbolPosition', 'DefaultStartTime', 'MinutesPerDay', 'MinutesPerWeek', 'DaysPerMonth'], IMPLIED),
  ...all(['DefaultTaskType', 'DefaultFixedCostAccrual', 'DefaultStandardRate', 'DefaultOvertimeRate'], IMPLIED),
  ...all(['DurationFormat', 'WorkFormat', 'EditableActualCosts', 'HonorConstraints', 'EarnedValueMethod'], IMPLIED),
  ...all(['InsertedProjectsLikeSummary', 'MultipleCriticalPaths', 'NewTasksEffortDriven', 'AutoLink'], IMPLIED),
  ...all(['NewTasksEstimated', 'SplitsInProgressTasks', 'SpreadActualCost', 'SpreadPercentComplete'], IMPLIED),
  ...all(['TaskUpdatesResource', 'FiscalYearStart', 'WeekStartDay', 'MoveCompletedEndsBack'], IMPLIED),
  ...all(['MoveRemainingStartsBack', 'MoveRemainingStartsForward', 'MoveCompletedEndsForward'], IMPLIED),
  ...all(['BaselineForEarnedValue', 'BaselineCalendar', 'AutoAddNewResourcesAndTasks', 'StatusDate'], IMPLIED),
  ...all(['CurrentDate', 'MicrosoftProjectServerURL', 'Autolink', 'NewTaskStartDate', 'DefaultTaskEVMethod'], IMPLIED),
  ...all(['ProjectExternallyEdited', 'ExtendedCreationDate', 'ActualsInSync', 'RemoveFileProperties'], IMPLIED),
  ...all(
    [
      'AdminProject',
      'UpdateManuallyScheduledTasksWhenEditingLinks',
      'KeepTaskOnNearestWorkingTimeWhenMadeAutoScheduled',
    ],
    IMPLIED,
  ),
  ...all(['NewTasksAreManual', 'UpdateManuallyScheduledTasks'], IMPLIED),
};

export const DEPENDENCY_FIELDS: SourceFields = {
  ...all(['PredecessorUID', 'Type'], READ),
  CrossProject: unread('a dependency on another project', (value) => value !== ''),
  CrossProjectName: unread('a dependency on another project'),
  LinkLag: unread('the lag of a dependency'),
  LagFormat: IMPLIED,
};

export const TASK_FIELDS: SourceFields = {
  ...all(['UID', 'Name', 'OutlineLevel', 'OutlineNumber', 'Priority', 'Duration', 'Deadline', 'Notes', 'IsNull'], READ),
  ...all(['PercentComplete', 'PredecessorLink'], READ),
  Contact: unread('the contact of a task'),
  ...all(['Start', 'ManualStart', 'StartText'], unread('the scheduled start of a task')),
  ...all(['Finish', 'ManualFinish', 'FinishText'], unread('the scheduled finish of a task')),
  ...all(
    ['ActualStart', 'ActualFinish', 'ActualDuration', 'ActualWork'],
    unread('the actual start, finish and work of a task'),
  ),
  ...all(['Work', 'FixedCost', 'Cost'], unread('the work and cost of a task')),
  ...all(['ConstraintDate'], unread('the constraint of a task')),
  ConstraintType: unread('the constraint of a task', isNot(['0'])),
  Type: unread('the type of a task', isNot(['0'])),
  CalendarUID: unread('the calendar of a task', isNot(['-1'])),
  Milestone: unread('the milestone mark of a task'),
  Recurring: unread(RECURRENCE),
  Active: unread('the inactive mark of a task', (value) => value === ''),
  ...all(['IsSubproject', 'SubprojectName'], unread('a project inside a project')),
  ...all(['ExternalTask', 'ExternalTaskProject'], unread('a task of another project')),
  ...all(['Hyperlink', 'HyperlinkAddress', 'HyperlinkSubAddress'], unread('the web address of a task')),
  ExtendedAttribute: unread('a value of a custom field'),
  OutlineCode: unread('a value of an outline code'),
  Baseline: unread('a baseline of a task'),
  TimephasedData: unread('the work of a task by time'),
  ...all(['LevelingDelay'], unread('the levelling of a task')),
  PhysicalPercentComplete: unread('the physical progress of a task'),
  ...all(['CommitmentStart', 'CommitmentFinish', 'CommitmentType'], unread('the delivery of a task')),
  CreateDate: unread(CREATION_TIME),
  StatusManager: unread('the manager of a task'),
  // Numbers in the file, marks of the view, and values that Project computes.
  ...all(['ID', 'GUID', 'WBS', 'WBSLevel', 'Summary', 'DisplayAsSummary', 'Rollup', 'HideBar', 'IsPublished'], IMPLIED),
  ...all(
    ['Manual', 'ManualDuration', 'DurationFormat', 'Estimated', 'EffortDriven', 'OverAllocated', 'Critical'],
    IMPLIED,
  ),
  ...all(['Stop', 'Resume', 'ResumeValid', 'IsSubprojectReadOnly', 'EarlyStart', 'EarlyFinish', 'LateStart'], IMPLIED),
  ...all(['LateFinish', 'StartVariance', 'FinishVariance', 'WorkVariance', 'FreeSlack', 'TotalSlack'], IMPLIED),
  ...all(
    ['StartSlack', 'FinishSlack', 'FixedCostAccrual', 'PercentWorkComplete', 'OvertimeCost', 'OvertimeWork'],
    IMPLIED,
  ),
  ...all(['ActualCost', 'ActualOvertimeCost', 'ActualOvertimeWork', 'RegularWork', 'RemainingDuration'], IMPLIED),
  ...all(['RemainingCost', 'RemainingWork', 'RemainingOvertimeCost', 'RemainingOvertimeWork', 'ACWP', 'CV'], IMPLIED),
  ...all(
    ['LevelAssignments', 'LevelingCanSplit', 'LevelingDelayFormat', 'PreLeveledStart', 'PreLeveledFinish'],
    IMPLIED,
  ),
  ...all(['IgnoreResourceCalendar', 'BCWS', 'BCWP', 'EarnedValueMethod', 'ActualWorkProtected'], IMPLIED),
  ...all(['ActualOvertimeWorkProtected', 'FreeformDurationFormat', 'DurationText'], IMPLIED),
};

export const RESOURCE_FIELDS: SourceFields = {
  ...all(['UID', 'Name', 'Type', 'IsNull'], READ),
  EmailAddress: unread('the e-mail address of a person'),
  ...all(['Group', 'Code', 'NTAccount', 'MaterialLabel'], unread('the group, code or account of a person')),
  Notes: unread('the notes on a person'),
  ...all(['Hyperlink', 'HyperlinkAddress', 'HyperlinkSubAddress'], unread('the web address of a person')),
  MaxUnits: unread('the availability of a person', (value) => value !== '' && Number(value) !== 1),
  ...all(['AvailableFrom', 'AvailableTo', 'AvailabilityPeriods'], unread('the availability of a person')),
  ...all(['StandardRate', 'OvertimeRate', 'CostPerUse', 'Rates'], unread('the rate of a person')),
  ExtendedAttribute: unread('a value of a custom field of people'),
  OutlineCode: unread('a value of an outline code of people'),
  Baseline: unread('a baseline of a person'),
  TimephasedData: unread('the work of a person by time'),
  ...all(
    ['ID', 'GUID', 'Initials', 'Phonetics', 'WorkGroup', 'PeakUnits', 'OverAllocated', 'Start', 'Finish'],
    IMPLIED,
  ),
  ...all(['CanLevel', 'AccrueAt', 'Work', 'RegularWork', 'OvertimeWork', 'ActualWork', 'RemainingWork'], IMPLIED),
  ...all(['ActualOvertimeWork', 'RemainingOvertimeWork', 'PercentWorkComplete', 'StandardRateFormat'], IMPLIED),
  ...all(['Cost', 'OvertimeRateFormat', 'OvertimeCost', 'ActualCost', 'ActualOvertimeCost', 'RemainingCost'], IMPLIED),
  ...all(['RemainingOvertimeCost', 'WorkVariance', 'CostVariance', 'SV', 'CV', 'ACWP', 'CalendarUID', 'BCWS'], IMPLIED),
  ...all(['BCWP', 'IsGeneric', 'IsInactive', 'IsEnterprise', 'BookingType', 'ActualWorkProtected'], IMPLIED),
  ...all(
    ['ActualOvertimeWorkProtected', 'ActiveDirectoryGUID', 'CreationDate', 'CostCenter', 'IsCostResource'],
    IMPLIED,
  ),
  ...all(['AssnOwner', 'AssnOwnerGuid', 'IsBudget', 'IsTeamAssignmentPool'], IMPLIED),
};

export const ASSIGNMENT_FIELDS: SourceFields = {
  ...all(['TaskUID', 'ResourceUID'], READ),
  Units: unread('the load of a person in a task', (value) => value !== '' && Number(value) !== 1),
  Notes: unread('the notes on an assignment'),
  ...all(['Delay', 'WorkContour'], unread('the delay and contour of an assignment')),
  ...all(['Hyperlink', 'HyperlinkAddress', 'HyperlinkSubAddress'], unread('the web address of an assignment')),
  ExtendedAttribute: unread('a value of a custom field of assignments'),
  Baseline: unread('a baseline of an assignment'),
  TimephasedData: unread('the work of an assignment by time'),
  ...all(['UID', 'GUID', 'PercentWorkComplete', 'ActualCost', 'ActualFinish', 'ActualOvertimeCost'], IMPLIED),
  ...all(['ActualOvertimeWork', 'ActualStart', 'ActualWork', 'ACWP', 'Confirmed', 'Cost', 'CostRateTable'], IMPLIED),
  ...all(
    ['CostVariance', 'CV', 'Finish', 'FinishVariance', 'WorkVariance', 'HasFixedRateUnits', 'FixedMaterial'],
    IMPLIED,
  ),
  ...all(
    ['LevelingDelay', 'LevelingDelayFormat', 'LinkedFields', 'Milestone', 'Overallocated', 'OvertimeCost'],
    IMPLIED,
  ),
  ...all(['OvertimeWork', 'PeakUnits', 'RegularWork', 'RemainingCost', 'RemainingOvertimeCost'], IMPLIED),
  ...all(['RemainingOvertimeWork', 'RemainingWork', 'ResponsePending', 'Start', 'Stop', 'Resume'], IMPLIED),
  ...all(['StartVariance', 'Summary', 'SV', 'UpdateNeeded', 'VAC', 'Work', 'BCWS', 'BCWP', 'BookingType'], IMPLIED),
  ...all(['ActualWorkProtected', 'ActualOvertimeWorkProtected', 'CreationDate', 'AssnOwner', 'AssnOwnerGuid'], IMPLIED),
  ...all(['BudgetCost', 'BudgetWork', 'RateScale'], IMPLIED),
};

export const MSPROJECT_FIELDS = {
  'the project': PROJECT_FIELDS,
  'a task': TASK_FIELDS,
  'a dependency': DEPENDENCY_FIELDS,
  'a person': RESOURCE_FIELDS,
  'an assignment': ASSIGNMENT_FIELDS,
} as const satisfies Record<string, SourceFields>;
