import type { Located } from '../../platform/kernel/json-pointer.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { HttpMethod } from '../model.ts';
import type { Finding } from './findings.ts';

/** An Operation Object, with its method, its path and the Path Item Object around it. */
export interface Operation extends Located<JsonObject> {
  readonly method: HttpMethod;
  readonly path: string;
  readonly pathItem: Located<JsonObject>;
  /** Why a stranger's operation was refused before it was read. */
  readonly refusal?: Finding;
}
