// An outline: a node as the end of a link, with all fields for decisions but without its possibly
// large content. Rule: LNK2.

/** A node's fields except those that `isWhole` checks; it follows the node's variable. */
export const OUTLINE = `{
  .id, .ownerId, .status, .statusBefore, .openBlockers, .dueDate, .type, .priority, .independent, .volume, .version, .createdTime,
  .lastEditedTime, .x, .y, .z, .pinned, .collapsed, .publicToken, .publicDue, .publicBranch, .inTrash, .lastBatchID
}`;
