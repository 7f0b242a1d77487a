import type { Connection } from './connection.ts';
import { type ConnectionGroup, createConnectionGroup } from './connection-group.ts';

/** The open connections, in total and by address block. */
export interface ConnectionRegister {
  readonly all: ConnectionGroup;
  /** The connections of a block. Undefined while it has none, and for connections that are exempt. */
  ofBlock(block: string | null): ConnectionGroup | undefined;
  add(connection: Connection): void;
  remove(connection: Connection): void;
}

export function createConnectionRegister(max: number, maxPerBlock: number): ConnectionRegister {
  const all = createConnectionGroup(max);
  const blocks = new Map<string, ConnectionGroup>();
  const ofBlock = (block: string | null): ConnectionGroup | undefined =>
    block === null ? undefined : blocks.get(block);
  return {
    all,
    ofBlock,
    add(connection) {
      all.add(connection);
      const { block } = connection;
      if (block === null) return;
      const group = blocks.get(block) ?? createConnectionGroup(maxPerBlock);
      blocks.set(block, group);
      group.add(connection);
    },
    remove(connection) {
      all.delete(connection);
      const { block } = connection;
      const group = ofBlock(block);
      group?.delete(connection);
      if (block !== null && group?.size() === 0) blocks.delete(block);
    },
  };
}
