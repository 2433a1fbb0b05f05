import type { BatchItem } from './batch-item.js';

/** Items that may run at the same time, in order. */
export type Stage = readonly BatchItem[];

/** Neighbours that read share a stage; what may change something has one of its own, so that it sees what stood before it. */
export function divideIntoStages(items: readonly BatchItem[]): readonly Stage[] {
  const stages: BatchItem[][] = [];
  let before: BatchItem | undefined;
  for (const item of items) {
    if (before === undefined || before.isBarrier || item.isBarrier) stages.push([item]);
    else stages.at(-1)?.push(item);
    before = item;
  }
  return stages;
}
