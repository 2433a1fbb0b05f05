import type { JsonObject } from '../../protocol/json.js';

/** Sets a member of a JSON object; `__proto__` becomes a member like any other instead of the object's prototype. */
export function setMember(target: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}
