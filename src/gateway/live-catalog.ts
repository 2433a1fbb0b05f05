import type { Snapshot } from '../pipeline/snapshot.js';
import type { RawTool, ToolSet } from '../protocol/tools.js';

/** The upstreams' lists of tools: what they offer now, and what each offered first. */
interface OfferedTools {
  readonly toolSets: Iterable<ToolSet>;
  readonly firstToolSets: ReadonlyMap<string, ToolSet>;
}

/** Holds the current snapshot and rebuilds it when the upstreams' tools change. */
export interface LiveCatalog {
  current(): Snapshot;
  /** Takes an upstream's list. Several lists in one turn of the event loop cause one rebuild. */
  offer(slug: string, tools: readonly RawTool[]): void;
  /** Rebuilds the snapshot now if a rebuild is pending. */
  settle(): void;
  /** Calls the listener when the gateway's own tool list has changed; returns a function that removes the listener. */
  onToolsChanged(listener: () => void): () => void;
  toolSets(): readonly ToolSet[];
  close(): void;
}

/** @param onChange called for each snapshot that replaces another */
export function createLiveCatalog(
  build: (offered: OfferedTools) => Snapshot,
  onChange: (before: Snapshot, after: Snapshot) => void,
): LiveCatalog {
  const toolSets = new Map<string, ToolSet>();
  const firstToolSets = new Map<string, ToolSet>();
  const listeners = new Set<() => void>();
  const take = (): Snapshot => build({ toolSets: toolSets.values(), firstToolSets });
  let snapshot = take();
  let due: NodeJS.Immediate | undefined;

  const rebuild = (): void => {
    clearImmediate(due);
    due = undefined;
    const before = snapshot;
    snapshot = take();
    onChange(before, snapshot);
    if (before.plan.toolsJson !== snapshot.plan.toolsJson) for (const listener of listeners) listener();
  };

  return {
    current: () => snapshot,
    offer(slug, tools) {
      const toolSet = { upstream: slug, tools };
      toolSets.set(slug, toolSet);
      if (!firstToolSets.has(slug)) firstToolSets.set(slug, toolSet);
      due ??= setImmediate(rebuild);
    },
    settle() {
      if (due !== undefined) rebuild();
    },
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    toolSets: () => [...toolSets.values()],
    close: () => clearImmediate(due),
  };
}
