/** What a scripted model does in one turn: it calls a tool of the gateway, or ends with a text. */
export type Turn =
  | { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly text: string };

/** An event of a streamed response. */
export interface WireEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The API of a model provider, with what the tests need of it. */
export interface ModelWire {
  /** The address to which a host posts its requests. */
  readonly path: string;
  /** Streams one turn of the model; ids in it are made from the number of the turn. */
  encode(turn: Turn, number: number): readonly WireEvent[];
  /** The names of the gateway's tools that a request offers to the model. */
  offered(request: unknown): readonly string[];
  /** The results of the gateway's tools that a request shows to the model, each as its texts. */
  shown(request: unknown): readonly (readonly string[])[];
}

/** The name of the gateway in a host's configuration. */
export const SERVER = 'tool-gateway';
