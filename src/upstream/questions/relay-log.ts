import { measureJson } from '../../lib/json-size.js';
import { cleanLabel, cleanValue } from '../../lib/text.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { type CallLog, isLogLevel, reaches } from '../../protocol/log-message.js';

/** The most characters of JSON in one message. */
const MAX_CHARACTERS = 10_000;
/** Messages that one call may send at once, and how many a second after those. */
const BURST = 100;
const PER_SECOND = 20;

/** How many messages of one call are passed on; what comes beyond it is dropped. */
export class LogAllowance {
  #room = BURST;
  #countedAt = 0;

  /** @param now milliseconds of the monotonic clock */
  take(now: number): boolean {
    this.#room = Math.min(BURST, this.#room + ((now - this.#countedAt) / 1_000) * PER_SECOND);
    this.#countedAt = now;
    if (this.#room < 1) return false;
    this.#room -= 1;
    return true;
  }
}

/** Passes a server's log message on to the client of its call, cleaned, and with the server's name before its logger's. */
export function relayLog(
  params: unknown,
  log: CallLog,
  server: string,
  { mask, allowance }: { readonly mask: (params: JsonObject) => JsonObject; readonly allowance: LogAllowance },
): void {
  if (!isJsonObject(params) || !isLogLevel(params['level']) || !reaches(params['level'], log.level)) return;
  if (measureJson(params, MAX_CHARACTERS) > MAX_CHARACTERS || !allowance.take(performance.now())) return;
  const { level } = params;
  const { logger, data } = mask(params);
  const part = typeof logger === 'string' ? cleanLabel(logger) : '';
  log.write({
    level,
    logger: part === '' ? server : `${server}/${part}`,
    data: cleanValue(data ?? null, MAX_CHARACTERS),
  });
}
