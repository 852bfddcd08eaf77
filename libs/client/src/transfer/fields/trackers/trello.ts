// The fields of a board that Trello exports as JSON. Rule: IO9.
import { all, hasContent, IMPLIED, nested, READ, readInPart, type SourceFields, unread } from '../source-field.ts';

const LABEL_FIELDS: SourceFields = {
  ...all(['id', 'name'], READ),
  color: unread('the colour of a label'),
  ...all(['idBoard', 'uses', 'nodeId', 'limits', 'idOrganization'], IMPLIED),
};
const MEMBER_FIELDS: SourceFields = {
  ...all(['id', 'fullName'], READ),
  username: readInPart('the user name of a person'),
  ...all(['bio', 'bioData'], unread('the description of a person')),
  email: unread('the e-mail address of a person'),
  ...all(
    ['avatarHash', 'avatarUrl', 'initials', 'memberType', 'confirmed', 'status', 'url', 'idBoards', 'limits'],
    IMPLIED,
  ),
  ...all(
    ['activityBlocked', 'products', 'idMemberReferrer', 'idPremOrgsAdmin', 'nonPublic', 'nonPublicAvailable'],
    IMPLIED,
  ),
  ...all(
    ['idOrganizations', 'idEnterprise', 'idEnterprisesDeactivated', 'idEnterprisesAdmin', 'marketingOptIn'],
    IMPLIED,
  ),
  ...all(['aaId', 'dateLastImpression'], IMPLIED),
};
export const BOARD_FIELDS: SourceFields = {
  ...all(['name', 'desc', 'cards', 'lists', 'checklists', 'closed', 'actions'], READ),
  members: nested(MEMBER_FIELDS, 'fullName'),
  labels: nested(LABEL_FIELDS, 'name'),
  customFields: unread('the custom fields of a board'),
  ...all(['pluginData', 'powerUps', 'idPlugins'], unread('the data of a plug-in')),
  ...all(
    ['prefs', 'id', 'labelNames', 'limits', 'memberships', 'descData', 'idOrganization', 'idMemberCreator'],
    IMPLIED,
  ),
  ...all(
    ['idEnterprise', 'enterpriseOwned', 'ixUpdate', 'idBoardSource', 'creationMethod', 'templateGallery'],
    IMPLIED,
  ),
  ...all(['shortLink', 'shortUrl', 'url', 'nodeId', 'idTags', 'premiumFeatures', 'subscribed', 'starred'], IMPLIED),
  ...all(
    ['pinned', 'dateLastActivity', 'dateLastView', 'datePluginDisable', 'dateClosed', 'invited', 'invitations'],
    IMPLIED,
  ),
  ...all(['type', 'creationMethodError', 'creationMethodLoadingStartedAt'], IMPLIED),
};
export const LIST_FIELDS: SourceFields = {
  ...all(['id', 'name', 'closed'], READ),
  pos: IMPLIED,
  softLimit: unread('the limit of a list'),
  color: unread('the colour of a list'),
  ...all(
    ['idBoard', 'idOrganization', 'subscribed', 'limits', 'creationMethod', 'datasource', 'nodeId', 'type'],
    IMPLIED,
  ),
};
const hasCover = (value: unknown) => {
  const { color, idAttachment, idUploadedBackground } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return [color, idAttachment, idUploadedBackground].some(hasContent);
};
export const CARD_FIELDS: SourceFields = {
  ...all(['id', 'name', 'desc', 'due', 'dueComplete', 'closed', 'idList', 'idMembers', 'idLabels', 'pos'], READ),
  labels: nested(LABEL_FIELDS, 'name'),
  start: unread('the start of a card'),
  dueReminder: unread('a reminder', (value) => typeof value === 'number' && value >= 0),
  attachments: unread('attachments'),
  cover: unread('the cover of a card', hasCover),
  customFieldItems: unread('a value of a custom field'),
  pluginData: unread('the data of a plug-in'),
  idMembersVoted: unread('the votes for a card'),
  stickers: unread('the stickers of a card'),
  ...all(['address', 'locationName', 'coordinates', 'staticMapUrl'], unread('the location of a card')),
  ...all(['isTemplate', 'cardRole'], unread('the template mark of a card')),
  ...all(['dateLastActivity', 'dateCompleted', 'dateClosed'], unread('the times of changes to a card')),
  recurrenceRule: unread('the recurrence of a card'),
  idShort: unread('the number of a card'),
  idMemberCreator: unread('the creator of a card'),
  ...all(['url', 'shortUrl', 'shortLink', 'email'], unread('the address of a card')),
  // Check lists name their cards, and the rest follows from other fields or belongs to the reader.
  ...all(['idChecklists', 'checkItemStates', 'badges', 'descData', 'idBoard', 'idAttachmentCover', 'limits'], IMPLIED),
  ...all(['manualCoverAttachment', 'subscribed', 'nodeId', 'idOrganization', 'creationMethod', 'agent'], IMPLIED),
  ...all(
    ['creationMethodError', 'creationMethodLoadingStartedAt', 'datasource', 'faviconUrl', 'mirrorSourceId'],
    IMPLIED,
  ),
  ...all(['mirrorSourceNodeId', 'urlSource', 'urlSourceText', 'pinned', 'sourceCardId'], IMPLIED),
};
export const CHECKLIST_FIELDS: SourceFields = {
  ...all(['idCard', 'checkItems'], READ),
  id: IMPLIED,
  name: unread('the name of a check list', (value) => hasContent(value) && value !== 'Checklist'),
  ...all(['idBoard', 'pos', 'limits', 'creationMethod', 'nodeId'], IMPLIED),
};
export const CHECK_ITEM_FIELDS: SourceFields = {
  ...all(['id', 'name', 'state', 'due', 'idMember', 'pos'], READ),
  dueReminder: unread('a reminder', (value) => typeof value === 'number' && value >= 0),
  ...all(['idChecklist', 'nameData', 'nodeId'], IMPLIED),
};

export const TRELLO_FIELDS = {
  'a board': BOARD_FIELDS,
  'a list': LIST_FIELDS,
  'a card': CARD_FIELDS,
  'a label': LABEL_FIELDS,
  'a member': MEMBER_FIELDS,
  'a check list': CHECKLIST_FIELDS,
  'an item of a check list': CHECK_ITEM_FIELDS,
} as const satisfies Record<string, SourceFields>;
