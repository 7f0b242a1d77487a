import { connect, type Socket } from 'node:net';

/** Connections of an attacker, which ignore errors and are all closed at the end. */
export interface Sockets {
  /** Opens a connection and writes to it. Reads only with the option `read`. */
  open(text?: string, options?: { read?: boolean }): OpenSocket;
  closeAll(): void;
}

export interface OpenSocket {
  readonly socket: Socket;
  /** What has been received so far, on a connection that reads. */
  text(): string;
  isClosed(): boolean;
}

export function createSockets(port: number): Sockets {
  const all: Socket[] = [];
  return {
    open: (text = '', { read = false } = {}) => {
      let received = '';
      let closed = false;
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.once('close', () => {
        closed = true;
      });
      if (read) socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
      else socket.pause();
      socket.write(text);
      all.push(socket);
      return { socket, text: () => received, isClosed: () => closed };
    },
    closeAll: () => {
      for (const socket of all.splice(0)) socket.destroy();
    },
  };
}

/** A request as sent on the wire. */
export function rawRequest(
  line: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body ? `content-length: ${Buffer.byteLength(body)}\r\n` : '';
  return `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}${length}\r\n${body}`;
}

/** A `tools/call` as sent on the wire. */
export const rawCall = (key: string, tool: string, args: object, id = 1): string =>
  rawRequest(
    'POST /mcp',
    { 'x-api-key': key, 'content-type': 'application/json' },
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: tool, arguments: args },
    }),
  );
