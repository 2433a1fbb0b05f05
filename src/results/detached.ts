import type { Operation } from '../protocol/operation.js';
import { finishAnswer } from './answer-query.js';
import type { AnswerDeps } from './answer-whole.js';
import { compileComputedFields } from './computed-fields.js';
import { isPosition } from './pages/next-page.js';
import type {
  CollectionQuery,
  ControlSet,
  DetachedResults,
  FinishedElsewhere,
  ReadContext,
  ReadData,
} from './result-types.js';
import { readAnswer } from './shape/learned-shape.js';
import { DetachedResultStore } from './stored/detached-store.js';

/** What finishing an answer in another thread needs and leaves. */
export interface DetachedFinisher {
  finish(query: CollectionQuery | undefined, dataText: string, value?: unknown): ReadData;
  passesUnread(query: CollectionQuery | undefined, isAtMost: (bytes: number) => boolean): boolean;
  /** What the thread of the gateway has to keep. */
  left(): FinishedElsewhere;
}

/** An operation without the parts that making an answer does not look at, which may be large. */
export function withoutSchemas(operation: Operation): Operation {
  const { outputSchema: _output, examples: _examples, ...rest } = operation;
  const identifying = operation.parameters.filter(
    (parameter) => parameter.required || operation.identifiers.includes(parameter.name) || isPosition(parameter),
  );
  return {
    ...rest,
    inputSchema: {},
    parameters: identifying.slice(0, MOST_PARAMETERS).map((parameter) => ({ ...parameter, schema: {} })),
  };
}

const MOST_PARAMETERS = 20;

/** Finishes one answer from what `ResultService.detach` gave. */
export function openDetached(context: ReadContext, detached: DetachedResults): DetachedFinisher {
  const { settings, controls, shape, signingKey, storedBytes, now } = detached;
  const stored = new DetachedResultStore(Buffer.from(signingKey), storedBytes);
  const computed = compileComputedFields(context.operation);
  const controlSet: ControlSet = { kind: controls.kind, names: controls.names, computed };
  let learned: FinishedElsewhere['learned'];
  const deps: AnswerDeps = {
    settings,
    stored,
    memory: {
      shapeOf: () => shape,
      learn: (_operation, data) => {
        learned = readAnswer(data);
      },
      note: () => undefined,
    },
    controlsOf: () => controlSet,
    now: () => now,
  };
  return {
    finish: (query, dataText, value) => finishAnswer(context, query, { dataText, value }, deps),
    passesUnread(query, isAtMost) {
      if (query !== undefined) return false;
      const maxBytes = context.answerBytes ?? settings.maxBytes;
      return maxBytes === 0 || isAtMost(maxBytes);
    },
    left: () => ({ entries: stored.entries, ...(learned === undefined ? {} : { learned }) }),
  };
}
