import { formatPath, type JsonPath } from '../../config/json-path.js';

/** A key, `["a key"]` or `[3]`, with what leads over to it. */
const STEP = /\.?([^.[\]"]+)|\.?\[(\d{1,10}|"(?:[^"\\]|\\.)*")\]/suy;

/** A path as people write it and `parseResultPath` reads it; empty for the root. */
export function writeResultPath(path: JsonPath): string {
  return path.length === 0 ? '' : formatPath(path);
}

/** Reads a path as people write it, `items[3].body` or `files["a.b"]`; undefined where it is not one. Empty is the root. */
export function parseResultPath(text: string): JsonPath | undefined {
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const start = STEP.lastIndex;
    const match = STEP.exec(text);
    if (match === null || startsWrongly(text, start)) return undefined;
    const step = match[1] ?? readBracket(match[2] ?? '');
    if (step === undefined) return undefined;
    path.push(step);
  }
  return path;
}

/** A dot stands between two steps, and a key after another one needs it. */
function startsWrongly(text: string, start: number): boolean {
  const first = text[start];
  return start === 0 ? first === '.' : first !== '.' && first !== '[';
}

function readBracket(text: string): string | number | undefined {
  try {
    const step: unknown = JSON.parse(text);
    return typeof step === 'string' || typeof step === 'number' ? step : undefined;
  } catch {
    return undefined;
  }
}
