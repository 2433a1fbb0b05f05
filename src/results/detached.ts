import type { Operation } from '../base/protocol/operation.js';
import { finishAnswer } from './answer-query.js';
import type { AnswerData, AnswerDeps } from './answer-whole.js';
import { isPosition } from './pages/next-page.js';
import type {
  CollectionQuery,
  ControlSet,
  DetachedList,
  DetachedResults,
  FinishedElsewhere,
  ReadContext,
  ReadData,
  StoredEntry,
  UnreadAnswer,
} from './query/result-types.js';
import { compileComputedFields } from './shape/controls.js';
import { readAnswer } from './shape/learned-shape.js';
import {
  type CursorPosition,
  fitsBound,
  newHandle,
  newSnapshotId,
  type PageCursors,
  type PageSnapshot,
  type ResultStore,
  type StoredResult,
  sizeOfPages,
  writeCursor,
} from './stored/result-store.js';

/** What finishing an answer in another thread needs and leaves. */
export interface DetachedFinisher {
  finish(query: CollectionQuery | undefined, answer: AnswerData, pages: DetachedList | undefined): ReadData;
  passesUnread(query: CollectionQuery | undefined, answer: UnreadAnswer): boolean;
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
  const { settings, controls, shape, seen, signingKey, storedBytes, now } = detached;
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
      fieldsOf: () => seen,
    },
    controlsOf: () => controlSet,
    now: () => now,
  };
  return {
    finish: (query, answer, pages) => finishAnswer(context, query, answer, deps, pages),
    passesUnread: (query, answer) =>
      query === undefined && answer.hasTokens(context.answerTokens ?? settings.maxTokens),
    left: () => ({ entries: stored.entries, ...(learned === undefined ? {} : { learned }) }),
  };
}

/** Takes what an answer wants stored, in a thread that has no store: the thread that has one keeps it afterwards. */
export class DetachedResultStore implements ResultStore {
  readonly entries: StoredEntry[] = [];
  readonly bytes = 0;
  readonly #key: Buffer;
  readonly maxBytes: number;

  /** @param key of the store that the entries go to */
  constructor(key: Buffer, maxBytes: number) {
    this.#key = key;
    this.maxBytes = maxBytes;
  }

  storePages(snapshot: PageSnapshot): PageCursors | undefined {
    if (!fitsBound(sizeOfPages(snapshot), this.maxBytes)) return undefined;
    const id = newSnapshotId();
    const { items, ...rest } = snapshot;
    this.entries.push({ kind: 'pages', id, snapshot: rest, content: items.content, ends: items.ends });
    return { cursorAt: (index) => writeCursor(this.#key, { snapshot: id, index }) };
  }

  storeResult({ operation, dataText }: StoredResult): string | undefined {
    const size = Buffer.byteLength(dataText);
    if (!fitsBound(size, this.maxBytes)) return undefined;
    const id = newHandle();
    // Shared, because it is read in threads.
    const content = Buffer.from(new SharedArrayBuffer(size));
    content.write(dataText);
    this.entries.push({ kind: 'result', id, operation, content });
    return id;
  }

  findPage(): CursorPosition | undefined {
    return undefined;
  }

  findContent(): undefined {
    return undefined;
  }

  operationOf(): string | undefined {
    return undefined;
  }

  endSession(): void {}
}
