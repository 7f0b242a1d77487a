import { type ClientStream, ownerOf } from '../../../events/stream-hub.ts';
import type { MemoryHold } from '../../../platform/kernel/byte-budget.ts';
import { createLru } from '../../../platform/kernel/memo.ts';
import type { Bus, Head, Message } from '../../../platform/redis/bus.ts';
import { toReplica } from '../../../platform/redis/channels.ts';
import { isId, type RpcId } from '../../json-rpc/json-rpc.ts';
import { Session, type SessionStream } from './session.ts';

/** How long the owner of a stream may take to say that it has it. */
const FIND_MS = 1000;
/** How long a reply is waited for: its client may read slowly. */
const REPLY_MS = 60_000;
/** A larger reply is sent in several messages. */
const CHUNK_BYTES = 256 * 1024;
/** Sessions of other replicas that this one has answered. One that was dropped is found again. */
const MAX_SESSIONS = 10_000;

export interface RemoteSessionsDeps {
  readonly bus: Bus;
  /** The session of a stream that this replica holds. */
  readonly ownSession: (
    clientId: string,
  ) => (Session & { readonly stream: ClientStream }) | undefined;
  readonly openMemory: (tenantId: string) => MemoryHold;
}

/**
 * Sessions whose stream another replica holds. Its client id names that replica. The replica that gets a message runs it,
 * and sends the frames to the replica that holds the stream, which checks the key before the first.
 */
export function openRemoteSessions(deps: RemoteSessionsDeps) {
  const { bus, ownSession } = deps;
  const sessions = createLru<Session & { readonly stream: RemoteStream }>(MAX_SESSIONS, {
    dispose: ({ stream }) => stream.close(),
  });
  const owner = openOwnSide(deps);

  bus.handle('session.closed', ({ head }) => void sessions.delete(String(head['clientId'])));
  bus.handle('session.cancel', ({ head, from }) => {
    const { clientId, id } = head;
    if (typeof clientId !== 'string' || !isId(id)) return;
    sessions.get(clientId)?.cancel(id);
    ownSession(clientId)?.cancel(id);
    owner.cancelElsewhere(clientId, id, from);
  });

  return {
    /** The session of this key, if another replica holds its stream. */
    find: async (clientId: string, apiKeyId: string): Promise<Session | undefined> => {
      const replica = ownerOf(clientId);
      if (replica === undefined || replica === bus.replica) return undefined;
      const head = { kind: 'session.find', clientId, apiKeyId };
      const [found] = await bus.ask(toReplica(replica), head, { timeoutMs: FIND_MS });
      if (found?.['isFound'] !== true) return undefined;
      const latest = sessions.get(clientId);
      // It closes when its owner does not take a reply in time; the owner may have the stream nevertheless.
      const known = latest?.stream.closed.aborted ? undefined : latest;
      const stream = known?.stream ?? new RemoteStream(bus, toReplica(replica), clientId);
      const session = known ?? Object.assign(new Session(stream), { stream });
      sessions.set(clientId, session);
      const { clientName } = found;
      if (typeof clientName === 'string') session.clientName = clientName;
      return session;
    },
    /** Cancels a request of a session wherever it runs, except here. */
    cancelElsewhere: (clientId: string, id: RpcId): void => {
      const replica = ownerOf(clientId);
      if (replica === bus.replica) owner.cancelElsewhere(clientId, id);
      else if (replica !== undefined) {
        void bus.publish(toReplica(replica), { kind: 'session.cancel', clientId, id });
      }
    },
    /** Tells the replica that holds the stream the name that its client gave here. */
    shareName: ({ stream, clientName }: Session): void => {
      if (stream instanceof RemoteStream) stream.shareName(clientName);
    },
  };
}

/** A stream that another replica holds. */
class RemoteStream implements SessionStream {
  readonly #bus: Bus;
  readonly #channel: string;
  readonly #clientId: string;
  readonly #closing = new AbortController();
  readonly closed = this.#closing.signal;
  #replies: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(bus: Bus, channel: string, clientId: string) {
    this.#bus = bus;
    this.#channel = channel;
    this.#clientId = clientId;
  }

  close(): void {
    this.#closing.abort();
  }

  shareName(clientName: string | undefined): void {
    void this.#bus.publish(this.#channel, this.#head('session.name', { clientName }));
  }

  send(frame: Buffer): void {
    void this.#bus.publish(this.#channel, this.#head('session.frame', {}), frame);
  }

  reply(pieces: readonly (string | Buffer)[]): Promise<void> {
    this.#replies = this.#replies.then(() => this.#reply(pieces));
    return this.#replies;
  }

  async #reply(pieces: readonly (string | Buffer)[]): Promise<void> {
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
    const reply = ++this.#count;
    for (let from = 0; from < bytes.length && !this.closed.aborted; from += CHUNK_BYTES) {
      const isLast = from + CHUNK_BYTES >= bytes.length;
      const head = this.#head('session.reply', { reply, isLast });
      const body = bytes.subarray(from, from + CHUNK_BYTES);
      const answers = await this.#bus.ask(this.#channel, head, { body, timeoutMs: REPLY_MS });
      if (answers[0]?.['isTaken'] !== true) this.close();
    }
  }

  #head(kind: string, members: Head): Head {
    return { kind, clientId: this.#clientId, ...members };
  }
}

/** A reply that another replica is sending. */
interface Incoming {
  readonly pieces: Buffer[];
  readonly memory: MemoryHold;
  /** Ends it with the stream. */
  readonly onClosed: () => void;
}

/** The side of the replica that holds a stream. */
function openOwnSide({ bus, ownSession, openMemory }: RemoteSessionsDeps) {
  /** By client id, the replicas that have found the session here. */
  const holders = new Map<string, Set<string>>();

  const tell = (clientId: string, head: Head, except?: string): void => {
    for (const replica of holders.get(clientId) ?? []) {
      if (replica !== except) void bus.publish(toReplica(replica), { ...head, clientId });
    }
  };

  function addHolder(stream: ClientStream, replica: string): void {
    const known = holders.get(stream.clientId);
    if (known) return void known.add(replica);
    holders.set(stream.clientId, new Set([replica]));
    stream.closed.addEventListener('abort', () => {
      tell(stream.clientId, { kind: 'session.closed' });
      holders.delete(stream.clientId);
    });
  }

  const replies = createIncomingReplies(openMemory);
  const sessionOf = ({ head }: Message) => ownSession(String(head['clientId']));
  bus.handle('session.find', (message) => {
    const session = sessionOf(message);
    if (!session || session.stream.apiKeyId !== message.head['apiKeyId']) return {};
    addHolder(session.stream, message.from);
    return { isFound: true, clientName: session.clientName };
  });
  bus.handle('session.name', (message) => {
    const session = sessionOf(message);
    const { clientName } = message.head;
    if (session && typeof clientName === 'string') session.clientName = clientName;
  });
  bus.handle('session.frame', (message) => sessionOf(message)?.stream.send(message.body));
  bus.handle('session.reply', async (message) => {
    const stream = sessionOf(message)?.stream;
    return stream ? { isTaken: await replies.add(stream, message) } : {};
  });

  return {
    /** Cancels a request on every replica that has found the session, except for one. */
    cancelElsewhere: (clientId: string, id: RpcId, except?: string): void =>
      tell(clientId, { kind: 'session.cancel', id }, except),
  };
}

/** Collects the pieces of replies: nothing may come between the pieces of one. */
function createIncomingReplies(openMemory: RemoteSessionsDeps['openMemory']) {
  const incoming = new Map<string, Incoming>();

  function begin(key: string, stream: ClientStream): Incoming {
    const onClosed = (): void => end(key, stream);
    const reply = { pieces: [], memory: openMemory(stream.tenantId), onClosed };
    incoming.set(key, reply);
    stream.closed.addEventListener('abort', onClosed);
    return reply;
  }

  function end(key: string, { closed }: ClientStream): void {
    const reply = incoming.get(key);
    if (!reply) return;
    incoming.delete(key);
    reply.memory.close();
    // A session may have many replies.
    closed.removeEventListener('abort', reply.onClosed);
  }

  return {
    /** Resolves with whether the piece was taken; of the last one, once the reply has been sent. */
    add: async (stream: ClientStream, { from, head, body }: Message): Promise<boolean> => {
      const key = `${from} ${stream.clientId} ${head['reply']}`;
      const { pieces, memory } = incoming.get(key) ?? begin(key, stream);
      if (!memory.take(body.length)) {
        // As for a client that does not read its events: it has to connect again.
        end(key, stream);
        stream.end();
        return false;
      }
      pieces.push(body);
      if (head['isLast'] !== true) return true;
      await stream.reply(pieces);
      end(key, stream);
      return true;
    },
  };
}
