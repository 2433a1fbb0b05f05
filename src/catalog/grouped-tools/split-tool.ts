import type { RawTool } from '../../protocol/raw-tool.js';
import { toSnakeCase } from '../../protocol/snake-case.js';
import { classifyTool } from '../classify/classify-tool.js';
import { findGroupingParameter } from '../classify/find-grouping-parameter.js';
import { nameValues } from './name-values.js';

/** One thing that a grouped tool does. */
export interface SplitValue {
  /** As the upstream spells it. */
  readonly value: string;
  /** The name that it asks for. */
  readonly name: string;
}

/** How a grouped tool comes apart. */
export interface ToolSplit {
  /** The parameter that chooses, in the upstream's spelling. */
  readonly parameter: string;
  readonly values: readonly SplitValue[];
  /** Whether some value stands in another category or danger than another: then the tool is better split. */
  readonly differs: boolean;
}

/** An enumeration longer than this is a vocabulary, not a handful of deeds. */
const MAX_VALUES = 50;

/** Tools do not change, and a catalog is built again whenever any upstream's list does. */
const known = new WeakMap<RawTool, { readonly split: ToolSplit | null }>();

/**
 * The operations that a tool's grouping parameter makes of it; null where it has none, or where the parameter takes other
 * values too, which no operation would reach. What the author hints and what the operator declares is not asked: it may change,
 * and names must not change with it.
 */
export function splitTool(tool: RawTool): ToolSplit | null {
  const found = known.get(tool) ?? { split: trySplit(tool) };
  known.set(tool, found);
  return found.split;
}

function trySplit(tool: RawTool): ToolSplit | null {
  try {
    return readSplit(tool);
  } catch {
    // Built to break its reader; it stays whole, and whoever reads it next says so.
    return null;
  }
}

function readSplit(tool: RawTool): ToolSplit | null {
  const grouping = findGroupingParameter(tool);
  if (grouping === null || !grouping.closed || grouping.values.length > MAX_VALUES) return null;
  const { parameter, values } = grouping;
  const names = nameValues(tool, values);
  const effects = new Set(values.map((value, index) => effectOf(tool, parameter, value, names[index] ?? value)));
  return {
    parameter,
    values: values.map((value, index) => ({ value, name: names[index] ?? toSnakeCase(value) })),
    differs: effects.size > 1,
  };
}

function effectOf(tool: RawTool, parameter: string, value: string, name: string): string {
  const { category, danger } = classifyTool({
    tool,
    name,
    upstream: { slug: '', trust: 'untested' },
    curation: {},
    ignoreAnnotations: true,
    groupValue: { parameter, value },
  });
  return `${category} ${danger.level}`;
}
