/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object whose members have not been checked yet. */
export type JsonObject = Record<string, unknown>;

/** A JSON Schema as a server sent it: any dialect, possibly malformed. */
export type JsonSchema = JsonObject;

/** Whether a value is a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
