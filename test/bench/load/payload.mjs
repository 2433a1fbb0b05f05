import { LARGE_JSON } from './large-result.mjs';

/** Answers longer than this are parsed by sample; of the others only id, length and stamp are looked at. */
const ALWAYS_READ_BYTES = 1024;

/**
 * What is asked, and what the answer must hold. `operations` are called in turn.
 * - `text`: the tool hands the call's own text back; no two calls send the same, so a swapped answer is noticed
 * - `json`, `structured`: 1,000 objects as JSON text, or as structured content beside it
 * - `call`: an operation with the `params` that are given, whose data holds `expects`
 * - `tools`: `tools/list` instead of a call
 */
export const PAYLOADS = {
  'echo 64 B': textPayload(64),
  'echo 64 kB': textPayload(64 * 1024),
  '1,000 objects': { kind: 'json', operations: ['list_objects'], readEvery: 8 },
  '1,000 objects, structured': { kind: 'structured', operations: ['list_records'], readEvery: 8 },
  'tools/list': { kind: 'tools', operations: ['tools/list'], readEvery: 64 },
};

/** @param operations which tools are called; all of them must hand their text back */
export function textPayload(size, operations = ['get_text']) {
  return { kind: 'text', operations, size, readEvery: size > ALWAYS_READ_BYTES ? 8 : 1 };
}

/** A call of one operation of the gateway's own. @param params in which `$id` is the number of the call. @param expects members of its data */
export function callPayload({ operation, family, params, expects }) {
  return { kind: 'call', operations: [operation], family, params, expects, readEvery: 1 };
}

/** The text that call number `id` sends and must get back. */
export function textOf(id, size) {
  return `${id}:`.padEnd(size, '.');
}

/** Whether an upstream's own result answers call `id`. */
export function isExpectedResult(result, payload, id) {
  switch (payload.kind) {
    case 'tools':
      return Array.isArray(result?.tools) && result.tools.length > 0;
    case 'structured':
      return JSON.stringify(result?.structuredContent?.items) === LARGE_JSON;
    case 'json':
      return result?.content?.[0]?.text === LARGE_JSON;
    default:
      return result?.content?.[0]?.text === textOf(id, payload.size);
  }
}

/** Whether the data of the gateway's envelope answers call `id`. */
export function isExpectedData(data, payload, id) {
  switch (payload.kind) {
    case 'structured':
      return JSON.stringify(data?.items) === LARGE_JSON;
    case 'json':
      return JSON.stringify(data) === LARGE_JSON;
    case 'call':
      return Object.entries(payload.expects).every(([name, value]) => data?.[name] === value);
    default:
      return data === textOf(id, payload.size);
  }
}
