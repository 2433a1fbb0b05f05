import { Counter, type CounterConfiguration, type Registry } from 'prom-client';

/**
 * Opens a counter whose samples have two keys each, and returns what counts one. The numbers are in plain maps until a scrape: prom-client's
 * own `inc` checks and joins all labels each time.
 * @param labelsOf the labels of a sample: different ones for different keys
 */
export function openTally<K>(
  config: Pick<CounterConfiguration<string>, 'name' | 'help' | 'labelNames'>,
  registers: Registry[],
  labelsOf: (first: K, second: string) => Readonly<Record<string, string>>,
): (first: K, second: string) => void {
  const counts = new Map<K, Map<string, number>>();
  new Counter({
    ...config,
    registers,
    collect() {
      this.reset();
      for (const [first, row] of counts) for (const [second, count] of row) this.inc(labelsOf(first, second), count);
    },
  });
  return (first, second) => {
    const row = counts.get(first);
    if (row === undefined) counts.set(first, new Map([[second, 1]]));
    else row.set(second, (row.get(second) ?? 0) + 1);
  };
}
