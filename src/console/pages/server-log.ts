import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { serverLogDirectory, tailServerLog } from '../../gateway/log-review.js';

/** A line that a server has printed. */
export interface LogLine {
  /** The time of day in UTC, and the whole moment where the line has one. */
  readonly time?: string;
  readonly at?: string;
  readonly text: string;
}

const SHOWN = 200;
const LONGEST = 2_000;

/** The moment that the gateway has written before a line. */
const WRITTEN = /^(\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\.\d+Z) (.*)$/s;

/** What a server has printed last, the newest line last. */
export async function readServerLog(config: Pick<GatewayConfig, 'dataDir'>, slug: string): Promise<readonly LogLine[]> {
  const tail = await tailServerLog(serverLogDirectory(config), slug, SHOWN);
  return (tail?.lines ?? []).map((line) => {
    const [, at, time, text] = WRITTEN.exec(line) ?? [];
    return at === undefined || time === undefined
      ? { text: line.slice(0, LONGEST) }
      : { at, time, text: (text ?? '').slice(0, LONGEST) };
  });
}

/** Changes when a server prints: how long the files are. */
export function measureServerLogs(
  config: Pick<GatewayConfig, 'dataDir'>,
  slugs: readonly string[],
): Promise<readonly number[]> {
  const directory = serverLogDirectory(config);
  const sizeOf = (slug: string): Promise<number> =>
    stat(join(directory, `${slug}.log`)).then(
      ({ size }) => size,
      () => 0,
    );
  return Promise.all(slugs.map(sizeOf));
}
