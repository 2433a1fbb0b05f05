import { parseExact, writeExact } from '../../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../../../base/json/json.js';
import { WrittenPieces } from '../../../base/json/write-in-slices.js';
import { type PayloadLimits, payloadTooLarge } from '../../../base/protocol/limits.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import {
  type ContentBlock,
  ITEM_METAS,
  type OperationFailure,
  type Reply,
  type Warning,
} from '../../../base/protocol/result.js';
import type { AheadQuestion } from '../../../policy/rules/policy-types.js';
import { paramsOf } from '../decode.js';
import { CONFIRMATION } from '../directive-names.js';
import { shapeFailure } from '../shape.js';
import { createWarnings, type Warnings } from '../warnings.js';
import type { JointQuestion } from './agree-together.js';
import type { AskedAhead } from './ask-ahead.js';
import type { BatchItem, Pause } from './items.js';
import type { PendingItem, SettledRun } from './pending.js';
import {
  createResultReader,
  isQuestion,
  limitReads,
  prepareItem,
  type ResultReader,
  sliceMembers,
} from './references.js';
import type { BatchRun } from './run.js';

/** What was asked about the operations that wait: each by itself, or several with the halted one together. */
export interface BatchQuestions {
  readonly each?: AskedAhead;
  readonly together?: JointQuestion;
}

type Ending = 'succeeded' | 'failed' | 'asked';

interface Entry {
  readonly item: BatchItem;
  readonly ending: Ending;
  /** JSON text of the item's `OperationResult`. */
  readonly text: string;
}

/**
 * Writes the batch's answer in the form of the published schema (`batch-operation.schema.json`). Native blocks follow in the
 * order of the items. Warnings, for which that schema has no member, follow as a text block at the end. All results together may be as
 * long as an answer may be, so there is a pause between two of them.
 */
export async function writeBatch(
  items: readonly BatchItem[],
  { replies, haltedAt, pending }: SettledRun,
  questions: BatchQuestions | undefined,
  limits: PayloadLimits,
  pause: Pause,
): Promise<Reply> {
  const read = limitReads(createResultReader(replies), limits, limits.maxResponseSize);
  const blocks: WrittenBlock[] = [];
  const warnings = createWarnings();
  const entries = await writeEntries(items, replies, { read, limits, pause }, { blocks, warnings });
  const results = entries.filter(({ item }) => item.index !== haltedAt);
  const halted = entries.find(({ item }) => item.index === haltedAt);
  const parts = [
    '{"success":true,"data":null,"results":[',
    ...results.flatMap((entry, index) => [index === 0 ? '' : ',', ...writeEntry(entry, true)]),
    ']',
    ...(halted === undefined
      ? []
      : [
          ',"halted_at":',
          ...writeEntry(describeHalt(halted, pending, questions), false),
          `,"pending_operations":${JSON.stringify(pending.map((each) => toPending(each, questions)))}`,
        ]),
    `,"summary":${JSON.stringify(summarize(items.length, entries, halted === undefined ? undefined : pending.length))}}`,
  ];
  const rendered = warnings.render();
  if (rendered.length > 0) blocks.push(writeBlock({ type: 'text', text: JSON.stringify({ warnings: rendered }) }));
  const rest = { blocks: blocks.map(({ block }) => block), isError: false, code: 'OK', ...metaOf(replies) } as const;
  const texts = blocks.map(({ text }) => text);
  // The text of a long answer is a getter, which stays one.
  return Object.assign(await writeContent(parts, texts, pause), rest);
}

/** A native block and its JSON: a picture takes long to be written, so it is written once. */
interface WrittenBlock {
  readonly block: ContentBlock;
  readonly text: string;
}

const writeBlock = (block: ContentBlock): WrittenBlock => ({ block, text: JSON.stringify(block) });

/** The parts of the answer that belong to no single result; filled in the order of the items. */
interface AnswerParts {
  readonly blocks: WrittenBlock[];
  readonly warnings: Warnings;
}

/** What writing the results takes. */
interface Writing {
  readonly read: ResultReader;
  readonly limits: PayloadLimits;
  readonly pause: Pause;
}

async function writeEntries(
  items: readonly BatchItem[],
  replies: BatchRun['replies'],
  { read, limits, pause }: Writing,
  { blocks, warnings }: AnswerParts,
): Promise<readonly Entry[]> {
  let bytesLeft = limits.maxResponseSize;
  const entries: Entry[] = [];
  for (const item of items) {
    const given = replies[item.index];
    if (given === undefined) continue;
    const isLong = given.written !== undefined;
    await pause(isLong);
    // What a thread has written is decoded by being copied, and looked through in another turn.
    const reply = isLong ? { ...given } : given;
    if (isLong) await pause(true);
    const asked = isQuestion(reply);
    const whole = asked
      ? writeQuestion(reply, item.isSpecial ? prepareItem(item, read) : undefined)
      : writeResult(reply, blocks.length);
    const fits = asked || whole.bytes <= bytesLeft;
    const result = fits ? whole : tooLarge(item, whole, limits);
    bytesLeft -= result.bytes;
    blocks.push(...result.blocks);
    for (const warning of result.warnings) {
      warnings.add({ ...warning, details: { ...warning.details, index: item.index } });
    }
    const ending = asked ? 'asked' : fits && reply.code === 'OK' ? 'succeeded' : 'failed';
    entries.push({ item, ending, text: result.text });
  }
  return entries;
}

/** Replaces a result that does not fit. Other operations have run, so the batch still gets its answer. */
function tooLarge({ index, operation }: BatchItem, { bytes }: WrittenResult, limits: PayloadLimits): WrittenResult {
  const { code, message, details } = payloadTooLarge('response_size', bytes, limits);
  const error = new OperationError(
    code,
    `${message}: '${operation}' ran, but its answer does not fit beside the others. Ask for less data in each operation, or read it in a batch of its own; do not send an operation again if it changes data`,
    { ...details, operation, index },
  );
  return writeResult(shapeFailure(error, undefined), 0);
}

/** In parts: the result may be long. */
function writeEntry({ item, ending, text }: Entry, withStatus: boolean): readonly string[] {
  const status = withStatus && ending === 'asked' ? ',"status":"pending_confirmation"' : '';
  return [`{"index":${item.index},"operation":${JSON.stringify(item.operation)},"result":`, text, `${status}}`];
}

/** Of parameters that are longer, in characters of JSON, the token alone is written where it runs the call. */
const LONG_PARAMS = 1_000;

/** What runs the operation in the next batch: with its token, where it was asked about. */
function toPending(
  { item: { index, operation }, request }: PendingItem,
  questions: BatchQuestions | undefined,
): JsonObject {
  const params = paramsOf(request);
  const { token, keepsCall } = questions?.each?.questions.get(index) ?? NO_QUESTION;
  if (token === undefined) return params === undefined ? { index, operation } : { index, operation, params };
  const isLong = keepsCall && JSON.stringify(params ?? {}).length > LONG_PARAMS;
  return { index, operation, params: { ...(isLong ? {} : params), [CONFIRMATION]: token } };
}

const NO_QUESTION: Pick<AheadQuestion, 'token' | 'keepsCall'> = { keepsCall: false };

/** The halted operation's refusal, with what the caller has to know of the operations that wait. */
function describeHalt(entry: Entry, pending: readonly PendingItem[], questions: BatchQuestions | undefined): Entry {
  if (pending.length === 0) return entry;
  const together = questions?.together;
  const { error, ...failure } = JSON.parse(together?.reply.text ?? entry.text) as OperationFailure;
  const { sentences, details } = together === undefined ? describeAhead(questions?.each) : describeTogether(together);
  const left = together?.left ?? questions?.each?.left ?? 0;
  const message = [
    error.message,
    ...sentences,
    ...(left === 0 ? [] : [`Others may ask when their turns come: ${left}`]),
  ];
  const described = { ...error, message: message.join('. '), details: { ...error.details, ...details } };
  return { ...entry, text: JSON.stringify({ ...failure, error: described }) };
}

interface HaltWords {
  readonly sentences: readonly string[];
  readonly details: JsonObject;
}

function describeTogether({ covers }: JointQuestion): HaltWords {
  return { sentences: [], details: { covers } };
}

function describeAhead({ questions }: AskedAhead = NOTHING_ASKED): HaltWords {
  const asked = [...questions].toSorted(([one], [other]) => one - other);
  return {
    sentences: [
      "To go on, send a batch of this operation with its token, then 'pending_operations' as they are",
      ...(asked.length === 0
        ? []
        : ['The questions about them are in details.also_asked; where a token is enough, they hold it']),
    ],
    details:
      asked.length === 0
        ? {}
        : { also_asked: asked.map(([index, { details }]) => ({ index, ...withoutReasons(details) })) },
  };
}

const NOTHING_ASKED: AskedAhead = { questions: new Map(), left: 0 };

/** The message says what would be done; the answer of a batch has many of these. */
function withoutReasons({ reasons: _reasons, ...details }: JsonObject): JsonObject {
  return details;
}

/** @param pending how many did not run; undefined where the batch was not halted */
function summarize(total: number, entries: readonly Entry[], pending: number | undefined): JsonObject {
  const count = (ending: Ending): number => entries.filter((entry) => entry.ending === ending).length;
  const asked = count('asked');
  return {
    total,
    succeeded: count('succeeded'),
    failed: count('failed'),
    ...(pending === undefined ? {} : { halted: asked, pending }),
    ...(pending === undefined && asked > 0 ? { pending_confirmation: asked } : {}),
  };
}

/** Each item's `_meta` under its index. */
function metaOf(replies: BatchRun['replies']): Pick<Reply, 'meta'> {
  const metas = replies.flatMap((reply, index) => (reply?.meta === undefined ? [] : [{ index, _meta: reply.meta }]));
  return metas.length === 0 ? {} : { meta: { [ITEM_METAS]: metas } };
}

/** One item's result on its way into the batch's answer. */
interface WrittenResult {
  /** JSON text of an `OperationResult` with success and data, or success and error: the schema of a batch allows no other members. */
  readonly text: string;
  readonly blocks: readonly WrittenBlock[];
  /** The warnings of the result's own envelope. */
  readonly warnings: readonly Warning[];
  /** Bytes of text and blocks together. */
  readonly bytes: number;
}

/** @param blocksBefore how many native blocks precede this item's in the answer */
function writeResult(reply: Reply, blocksBefore: number): WrittenResult {
  const { text, blocks } = reply;
  if (reply.code !== 'OK') return measured(text, blocks, []);
  const members = sliceMembers(text);
  const own = members.get('data') ?? 'null';
  const data = shiftBlocks(own, blocks, blocksBefore);
  const warnings = JSON.parse(members.get('warnings') ?? '[]') as readonly Warning[];
  // Beside `success` and `data` a batch allows nothing.
  const isAllowed = members.size === 2 && data === own;
  return measured(isAllowed ? text : `{"success":true,"data":${data}}`, blocks, warnings);
}

/**
 * A refusal that asks for confirmation. For an item with references it includes the resolved parameters: the token is valid
 * for those, and in the next batch the references would resolve to other values.
 */
function writeQuestion(reply: Reply, prepared: JsonObject | undefined): WrittenResult {
  if (prepared === undefined) return measured(reply.text, reply.blocks, []);
  const failure = JSON.parse(reply.text) as OperationFailure;
  const error = { ...failure.error, details: { ...failure.error.details, params: paramsOf(prepared) ?? {} } };
  return measured(JSON.stringify({ ...failure, error }), reply.blocks, []);
}

function measured(text: string, blocks: Reply['blocks'], warnings: readonly Warning[]): WrittenResult {
  const written = blocks.map(writeBlock);
  const bytes = written.reduce((sum, each) => sum + 1 + Buffer.byteLength(each.text), Buffer.byteLength(text));
  return { text, blocks: written, warnings, bytes };
}

/**
 * An item's data with its block numbers raised by the number of native blocks that precede them in the batch's answer.
 * Data that refers to no block is returned unchanged.
 *
 * @param dataText JSON text
 * @param blocks the item's own native blocks; the item counts them from 1, since the envelope is block 0
 */
function shiftBlocks(dataText: string, blocks: readonly ContentBlock[], by: number): string {
  if (by === 0 || blocks.length === 0) return dataText;
  const data: unknown = parseExact(dataText);
  const content = isJsonObject(data) ? data['content'] : undefined;
  if (!isJsonObject(data) || !Array.isArray(content)) return dataText;
  if (!content.some((entry) => refersToBlock(entry, blocks))) return dataText;
  const shifted = content.map((entry: unknown) =>
    refersToBlock(entry, blocks) ? { ...entry, block: entry.block + by } : entry,
  );
  return writeExact({ ...data, content: shifted });
}

/** An entry refers to a block when it has the type of the block with its number; any other entry of that form is data. */
function refersToBlock(entry: unknown, blocks: readonly ContentBlock[]): entry is JsonObject & { block: number } {
  if (!isJsonObject(entry) || !Number.isInteger(entry['block'])) return false;
  return blocks[Number(entry['block']) - 1]?.type === entry['type'];
}

/** Characters that are written in one step: some milliseconds where every one of them is escaped. */
const STEP_CHARACTERS = 64 * 1024;

/**
 * An envelope that is given in parts, and the JSON of the blocks that follow, as the text and, where it is long, as the bytes that servers send, with pauses.
 */
export async function writeContent(
  parts: readonly string[],
  blocks: readonly string[],
  pause: Pause,
): Promise<Pick<Reply, 'text' | 'written'>> {
  const characters = [...parts, ...blocks].reduce((sum, { length }) => sum + length, 0);
  if (characters <= STEP_CHARACTERS) return { text: parts.join('') };
  const pieces = new WrittenPieces();
  pieces.push('[{"type":"text","text":"');
  for (const part of parts) {
    for (let at = 0; at < part.length; at += STEP_CHARACTERS) {
      // The halves of a character that stands over the cut are written as two escapes, which mean the same.
      await pause();
      pieces.push(JSON.stringify(part.slice(at, at + STEP_CHARACTERS)).slice(1, -1));
    }
  }
  pieces.push('"}');
  for (const block of blocks) {
    await pause(block.length > STEP_CHARACTERS);
    pieces.push(`,${block}`);
  }
  pieces.push(']');
  return {
    get text() {
      return parts.join('');
    },
    written: pieces.take(),
  };
}
