import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { CliError, EXIT_CODE } from './exit-code.js';

/** Reads `--params`. */
export function parseParams(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw new CliError(EXIT_CODE.usage, `--params is not JSON: ${text}`, { cause });
  }
  throw new CliError(EXIT_CODE.usage, '--params must be a JSON object, for example \'{"path": "notes.txt"}\'');
}
