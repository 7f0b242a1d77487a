/** The inspector of a Node.js process that runs with `--inspect`. */
export interface Inspector {
  /** Calls a method of the Chrome DevTools Protocol. Rejects with what the process says is wrong. */
  post(method: string, params?: object): Promise<unknown>;
  close(): void;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Connects to the inspector that listens on a port of this machine. */
export async function openInspector(port: number): Promise<Inspector> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
  if (!target) throw new Error(`Nothing can be inspected on port ${port}.`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  const replies = new Map<number, (reply: Reply) => void>();
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`No inspector answers on port ${port}.`));
  });
  socket.onmessage = ({ data }) => {
    const reply: Reply = JSON.parse(data);
    replies.get(reply.id)?.(reply);
    replies.delete(reply.id);
  };
  let lastId = 0;
  return {
    async post(method, params = {}) {
      const id = ++lastId;
      const replied = new Promise<Reply>((resolve) => replies.set(id, resolve));
      socket.send(JSON.stringify({ id, method, params }));
      const { result, error } = await replied;
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    },
    close: () => socket.close(),
  };
}
