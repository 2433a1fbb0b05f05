import type { RawTool } from './tools.js';

/** What has been computed of each tool, by what computed it. */
const records = new WeakMap<RawTool, Map<unknown, unknown>>();

/**
 * A function of a tool that is computed once for each. Tools are objects that never change, and a catalog is built again from nearly all of
 * the same ones whenever a list changes; what was computed goes with its tool.
 */
export function oncePerTool<T>(compute: (tool: RawTool) => T): (tool: RawTool) => T {
  return (tool) => {
    const record = records.get(tool) ?? new Map<unknown, unknown>();
    if (record.has(compute)) return record.get(compute) as T;
    const computed = compute(tool);
    records.set(tool, record.set(compute, computed));
    return computed;
  };
}
