import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import type { Environment, ProgramResult } from '../support/run-program.ts';
import type { ModelWire, Turn } from './model-wire.ts';
import { startScriptedModel } from './scripted-model.ts';

/** What a run of a host needs: all of it is made for that run. */
export interface Place {
  /** An empty directory, in which the host may keep what it likes. */
  readonly home: string;
  readonly modelUrl: string;
  /** The address of the gateway, with its path and query. */
  readonly address: string;
  readonly key: string;
}

/** A program in which a model uses tools. */
export interface Host {
  readonly name: string;
  readonly wire: ModelWire;
  /** Starts the host with a question, and lets the model work until it ends. */
  run(place: Place): Promise<ProgramResult>;
}

/** What became of a question. */
export interface Conversation {
  readonly result: ProgramResult;
  /** The names of the gateway's tools that the model was offered at last. */
  readonly offered: readonly string[];
  /** The tool results that the model was shown, each as its texts. */
  readonly shown: readonly (readonly string[])[];
}

/** Asks a host whose model follows a script. */
export async function converse(
  host: Host,
  target: Pick<Place, 'address' | 'key'>,
  turns: readonly Turn[],
): Promise<Conversation> {
  const home = await makeDataDir();
  const model = await startScriptedModel(host.wire, turns);
  try {
    const result = await host.run({ ...target, home, modelUrl: model.url });
    const last = model.requests.at(-1);
    return {
      result,
      offered: last ? host.wire.offered(last) : [],
      shown: last ? host.wire.shown(last) : [],
    };
  } finally {
    await model.close();
    await removeDir(home);
  }
}

/** Nothing outside this machine can be reached: port 9 refuses every connection. */
export const OFFLINE: Environment = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1',
};
