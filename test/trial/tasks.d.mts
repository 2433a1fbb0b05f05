import type { JsonObject } from '../../src/base/json/json.js';

/** Where the things of a task are. */
interface World {
  readonly repository: string;
  readonly files: string;
}

export const TASKS: readonly {
  readonly own: (world: World) => readonly (readonly [server: string, tool: string, args: JsonObject])[];
}[];
