import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Operation } from '../../protocol/operation.js';
import { compileComputedFields } from '../computed/compile-computed-fields.js';
import type { KeptResults } from '../kept-results.js';
import { parsePath } from '../query/field-path.js';
import type { QueryOptions } from '../query/run-query.js';
import type { ControlSet, ReadContext } from '../result-desk.js';
import type { ShapeMemory } from '../shape/shape-memory.js';

/** What answers are made with. */
export interface AnswerDeps {
  readonly settings: GatewayConfig['results'];
  readonly kept: KeptResults;
  readonly memory: ShapeMemory;
  readonly controlsOf: (operation: Operation) => ControlSet;
  readonly now: () => number;
}

/** How many bytes of data an answer may have; 0 for any number. */
export function boundOf({ answerBytes }: ReadContext, { settings }: AnswerDeps): number {
  return answerBytes ?? settings.maxBytes;
}

/** What an operation's items can be asked for beside what they hold. */
export function sourceOf(operation: Operation, { now }: AnswerDeps): QueryOptions {
  return {
    operation: operation.name,
    computed: compileComputedFields(operation),
    presets: readPresets(operation),
    now: now(),
  };
}

function readPresets({ presets = {} }: Operation): QueryOptions['presets'] {
  const entries = Object.entries(presets).map(([name, paths]) => {
    const parsed = paths.map(parsePath).filter((path) => path !== undefined);
    return [name, parsed] as const;
  });
  return new Map(entries);
}
