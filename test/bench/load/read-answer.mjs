import { isExpectedData, isExpectedResult } from './payload.mjs';

const RIGHT = { kind: 'right' };

/**
 * Judges one answer: `right`; `refused`, a well-formed error that belongs to the call; or `wrong`, anything else.
 * @returns {{kind: 'right'} | {kind: 'refused', why: string, retryable: boolean} | {kind: 'wrong', why: string}}
 */
export function readAnswer(target, payload, id, { status, contentType, body }) {
  const message = parseMessage(contentType, body);
  if (message === undefined)
    return { kind: 'wrong', why: `HTTP ${status} without a JSON-RPC message: ${excerpt(body)}` };
  if (message.id !== id)
    return { kind: 'wrong', why: `the answer to call ${id} has id ${message.id}: ${excerpt(body)}` };
  if (message.error !== undefined) return refusal(message.error);
  const { result } = message;
  if (target.speaks === 'tools' || payload.kind === 'tools') {
    return judge(isExpectedResult(result, payload, id), id, body);
  }
  const envelope = parseJson(result?.content?.[0]?.text);
  if (envelope?.success === false) return refusal(envelope.error);
  return judge(envelope?.success === true && isExpectedData(envelope.data, payload, id), id, body);
}

/**
 * A reader for many answers of one kind: long ones are parsed by sample; the others must have the length of the last that
 * was right, the call's id, and the call's own text.
 */
export function createReader(target, payload) {
  let rightLength;
  let seen = 0;
  return (id, answer) => {
    seen += 1;
    if (seen % payload.readEvery !== 0 && looksRight(answer, id, payload, rightLength)) return RIGHT;
    const verdict = readAnswer(target, payload, id, answer);
    if (verdict.kind === 'right') rightLength = answer.body.length;
    return verdict;
  };
}

function looksRight({ status, body }, id, payload, rightLength) {
  if (status !== 200 || body.length !== rightLength || !body.includes(`"id":${id}`)) return false;
  return payload.kind !== 'text' || body.includes(`${id}:`);
}

function judge(isRight, id, body) {
  return isRight ? RIGHT : { kind: 'wrong', why: `call ${id} was answered with ${excerpt(body)}` };
}

function refusal(error) {
  return { kind: 'refused', why: excerpt(JSON.stringify(error)), retryable: error?.details?.retryable === true };
}

/** The JSON-RPC message of a JSON or an event-stream answer; the last event carries the response. */
function parseMessage(contentType, body) {
  if (!contentType?.startsWith('text/event-stream')) return parseJson(body);
  const data = String(body)
    .split('\n')
    .filter((line) => line.startsWith('data:'));
  return parseJson(data.at(-1)?.slice('data:'.length));
}

function parseJson(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Not JSON: the caller says what came instead.
    return undefined;
  }
}

function excerpt(body) {
  const text = String(body);
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}
