// The storage of the copy on this device. A file of its own: the page paints before it is there.
export { deleteIndexedDb, fallbackStorage } from '@taskgraph/client';
