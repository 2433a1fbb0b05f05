import { OperationError } from '../../protocol/operation-error.js';
import type { PayloadLimits } from '../../protocol/payload-limits.js';
import type { Reply } from '../../protocol/result.js';
import { limitPayload } from '../limit.js';
import { type Found, followPath } from './follow-path.js';
import { isQuestion } from './is-question.js';
import type { Reference } from './parse-reference.js';
import { sliceMembers } from './slice-members.js';

/** Looks up what a reference in an item stands for. */
export type ResultReader = (reference: Reference, from: number) => Found;

/** Reads the results of a batch while it runs; each answer is parsed at most once, and only where somebody refers to it. */
export function createResultReader(replies: readonly (Reply | undefined)[]): ResultReader {
  const parsed = new Map<number, unknown>();
  const dataOf = (index: number, { text }: Reply): unknown => {
    if (!parsed.has(index)) parsed.set(index, JSON.parse(sliceMembers(text).get('data') ?? 'null'));
    return parsed.get(index);
  };
  return ({ index, path }, from) => {
    const reply = replies[index];
    const why = explainAbsence(index, from, replies.length, reply);
    if (why !== undefined) return { found: false, why };
    // Only a halt leaves an earlier item without an answer.
    if (reply === undefined) return { found: false, why: `'operations[${index}]' has not run` };
    return followPath(dataOf(index, reply), path, `$results[${index}].data`);
  };
}

/**
 * Reads what a request may hold, and no more than so many bytes of JSON in all: a short reference can stand for a long value,
 * and many of them for more than a request or an answer has room for.
 */
export function limitReads(read: ResultReader, limits: PayloadLimits, maxBytes: number): ResultReader {
  let left = maxBytes;
  return (reference, from) => {
    const found = read(reference, from);
    if (!found.found) return found;
    const why = explainExcess(found.value, limits);
    if (why !== undefined) return { found: false, why };
    if (left >= 0) left -= Buffer.byteLength(JSON.stringify(found.value));
    return left >= 0 ? found : { found: false, why: `what is referred to makes it longer than ${maxBytes} bytes` };
  };
}

function explainExcess(value: unknown, limits: PayloadLimits): string | undefined {
  try {
    limitPayload(value, limits);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof OperationError) return thrown.message;
    throw thrown;
  }
}

function explainAbsence(index: number, from: number, total: number, reply: Reply | undefined): string | undefined {
  const name = `'operations[${index}]'`;
  if (index >= total) return `there is no ${name}, the batch holds ${total}`;
  if (index === from) return `${name} is this operation itself; only results of earlier ones can be used`;
  if (index > from) return `${name} comes later; only results of earlier ones can be used`;
  if (reply === undefined || reply.code === 'OK') return undefined;
  return isQuestion(reply) ? `${name} waits for agreement and has not run` : `${name} failed with '${reply.code}'`;
}
