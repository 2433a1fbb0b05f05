import { isJsonObject } from '../../protocol/json.js';
import type { RawTool } from '../../protocol/raw-tool.js';

/** More text than this is a finding by itself, and not read to its end. */
const MAX_TEXT = 200_000;
const MAX_DEPTH = 60;

/** Everything a tool says, and how much of it there is. */
export interface ToolTexts {
  readonly name: string;
  /** What the tool says of itself: title, description, annotations' title. */
  readonly own: string;
  /** That and every text of its schemas: names, descriptions, values. */
  readonly all: string;
  /** Characters of the description. */
  readonly descriptionLength: number;
  /** Characters of the input and output schema as JSON. */
  readonly schemaLength: number;
}

/** Reads what a tool says, wherever in its definition it says it. Never throws. */
export function readToolTexts(tool: RawTool): ToolTexts {
  const { name, title, description, annotations, inputSchema, outputSchema } = tool;
  const own = [title, description, isJsonObject(annotations) ? annotations['title'] : undefined];
  const texts = own.filter((text) => typeof text === 'string');
  const inside: string[] = [];
  collectTexts([inputSchema, outputSchema], inside, { left: MAX_TEXT }, 0);
  return {
    name: String(name),
    own: texts.join('\n').slice(0, MAX_TEXT),
    all: [String(name), ...texts, ...inside].join('\n').slice(0, MAX_TEXT),
    descriptionLength: typeof description === 'string' ? description.length : 0,
    schemaLength: measure(inputSchema) + measure(outputSchema),
  };
}

function collectTexts(value: unknown, texts: string[], room: { left: number }, depth: number): void {
  if (room.left <= 0 || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    texts.push(value);
    room.left -= value.length;
  } else if (Array.isArray(value)) {
    for (const item of value) collectTexts(item, texts, room, depth + 1);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      collectTexts(key, texts, room, depth + 1);
      collectTexts(member, texts, room, depth + 1);
    }
  }
}

function measure(schema: unknown): number {
  try {
    return JSON.stringify(schema)?.length ?? 0;
  } catch {
    // Nested beyond writing: longer than any limit.
    return Number.POSITIVE_INFINITY;
  }
}
