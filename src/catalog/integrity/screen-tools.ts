import { isJsonObject, type JsonSchema, parseJson } from '../../base/json/json.js';
import { type Diagnostic, LONGEST_DEFINITION, type RawTool, type ToolSet } from '../../base/protocol/tools.js';
import { describeGaps } from '../../schema/schema-gaps.js';
import { declaredTypes } from '../../schema/schema-shape.js';
import type { ToolRecord, ToolRecords } from './tool-record.js';

/** A tool that can be offered: it has a unique name and a schema that can be read. */
export interface ScreenedTool {
  readonly upstream: string;
  /** As the upstream spells it. */
  readonly name: string;
  readonly raw: RawTool;
  readonly record: ToolRecord;
  readonly inputSchema: JsonSchema;
}

interface ScreenedTools {
  /** Ordered by name. */
  readonly tools: readonly ScreenedTool[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A schema with a remark on how it was repaired, or the reason why it cannot be read. */
type SchemaReading =
  | { readonly schema: JsonSchema; readonly remark?: string }
  | { readonly schema: undefined; readonly remark: string };

const NO_SCHEMA: JsonSchema = Object.freeze({});

/**
 * Filters what a server sent as its tools. MCP clients usually refuse a whole list for one entry that breaks the
 * specification; here each entry is checked alone, kept where it can be called, and else left out with the reason.
 */
export function screenTools({ upstream, tools }: ToolSet, records: ToolRecords): ScreenedTools {
  const diagnostics: Diagnostic[] = [];
  const kept = new Map<string, ScreenedTool>();
  const report = (severity: Diagnostic['severity'], kind: string, message: string, tool?: string): void => {
    diagnostics.push({ severity, kind, upstream, message, ...(tool !== undefined && { tool }) });
  };

  for (const [index, raw] of tools.entries()) {
    const name: unknown = isJsonObject(raw) ? raw['name'] : undefined;
    if (typeof name !== 'string' || name.trim() === '') {
      report('warning', 'tool-set-aside', `Tool ${index + 1} of '${upstream}' has no name and cannot be called`);
      continue;
    }
    const record = records.of(raw);
    if (record.isTooLong) {
      const why = `its definition has more than ${LONGEST_DEFINITION} characters`;
      report('warning', 'tool-set-aside', `Tool '${name}' of '${upstream}' cannot be called: ${why}`, name);
      continue;
    }
    const reading = readInputSchema(raw['inputSchema']);
    if (reading.schema === undefined) {
      report('warning', 'tool-set-aside', `Tool '${name}' of '${upstream}' cannot be called: ${reading.remark}`, name);
      continue;
    }
    if (reading.remark !== undefined) {
      report('info', 'tool-repaired', `Tool '${name}' of '${upstream}': ${reading.remark}`, name);
    }
    const gaps = describeGaps(reading.schema);
    if (gaps !== undefined) report('info', 'schema-unchecked', `Tool '${name}' of '${upstream}': ${gaps}`, name);
    const tool: ScreenedTool = { upstream, name, raw, record, inputSchema: reading.schema };
    const known = kept.get(name);
    if (known !== undefined) {
      report(
        'warning',
        'tool-set-aside',
        `Tool '${name}' of '${upstream}' is listed more than once; only one definition is used`,
        name,
      );
    }
    kept.set(name, known === undefined ? tool : chooseOne(known, tool));
  }
  return {
    tools: [...kept.values()].sort(byName),
    diagnostics: diagnostics.sort(byMessage),
  };
}

function readInputSchema(schema: unknown): SchemaReading {
  if (schema === undefined || schema === null) {
    return { schema: NO_SCHEMA, remark: 'it has no input schema, so that what it takes is not known' };
  }
  if (schema === true)
    return { schema: NO_SCHEMA, remark: "its input schema is 'true', which describes no parameters" };
  const parsed = typeof schema === 'string' ? parseJson(schema) : schema;
  if (!isJsonObject(parsed)) return { schema: undefined, remark: 'its input schema is not an object' };
  const types = declaredTypes(parsed['type']);
  if (types.length > 0 && types.every((type) => NOT_OBJECT.has(type))) {
    return {
      schema: undefined,
      remark: `its input schema asks for '${types.join("' or '")}', and arguments are always an object`,
    };
  }
  return parsed === schema
    ? { schema: parsed }
    : { schema: parsed, remark: 'its input schema was a JSON text and was parsed' };
}

const NOT_OBJECT: ReadonlySet<string> = new Set(['array', 'string', 'number', 'integer', 'boolean', 'null']);

/** Chooses the same one for every order of the list; calls of the name reach the same tool anyway. */
function chooseOne(a: ScreenedTool, b: ScreenedTool): ScreenedTool {
  try {
    return JSON.stringify(a.raw) <= JSON.stringify(b.raw) ? a : b;
  } catch {
    // Nested too deeply for JSON: either is fine.
    return a;
  }
}

function byName(a: ScreenedTool, b: ScreenedTool): number {
  return a.name < b.name ? -1 : 1;
}

function byMessage(a: Diagnostic, b: Diagnostic): number {
  return a.message < b.message ? -1 : 1;
}
