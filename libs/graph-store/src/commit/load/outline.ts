// A node as the end of a link: all that decisions ask of it but its content, which may be large and is nobody's question there. Rule: LNK2.

/** The fields of a node without those that `isWhole` looks for; it stands behind the node's variable. */
export const OUTLINE = `{
  .id, .ownerId, .status, .statusBefore, .openBlockers, .dueDate, .type, .priority, .independent, .volume, .version, .createdTime,
  .lastEditedTime, .x, .y, .z, .pinned, .collapsed, .publicToken, .publicDue, .publicBranch, .inTrash, .lastBatchID
}`;
