import type { JSONRPCResponse } from '@modelcontextprotocol/client';
import { withoutNulls } from '../../base/json/absent-nulls.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';

/** What stands for a server that does not say what it is. */
const UNKNOWN = 'unknown';
const TEXTS = ['title', 'description', 'websiteUrl', 'instructions'] as const;

/**
 * The result of `initialize` or `server/discover` as it is meant. The SDK's schema refuses a whole server for one member of another type:
 * nulls are absent, what a server is has defaults, and a capability that is no object is one or none by whether it is true.
 */
function mendHandshake(result: JsonObject): JsonObject {
  const { capabilities, serverInfo, ...rest } = withoutNulls(result);
  return { ...withTexts(rest), capabilities: mendCapabilities(capabilities), serverInfo: mendIdentity(serverInfo) };
}

function mendCapabilities(declared: unknown): JsonObject {
  if (!isJsonObject(declared)) return {};
  return Object.fromEntries(
    Object.entries(declared).flatMap(([name, capability]) => {
      if (isJsonObject(capability)) return [[name, withFlags(capability)]];
      return capability === true ? [[name, {}]] : [];
    }),
  );
}

function withFlags({ listChanged, subscribe, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    ...(typeof listChanged === 'boolean' && { listChanged }),
    ...(typeof subscribe === 'boolean' && { subscribe }),
  };
}

function mendIdentity(given: unknown): JsonObject {
  const { name, version, icons, ...rest }: JsonObject = isJsonObject(given) ? given : { name: given };
  return {
    ...withTexts(rest),
    ...(Array.isArray(icons) &&
      icons.every((icon) => isJsonObject(icon) && typeof icon['src'] === 'string') && { icons }),
    name: textOf(name),
    version: textOf(version),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : UNKNOWN;
}

/** Without texts for people that are none. */
function withTexts(value: JsonObject): JsonObject {
  const odd = TEXTS.filter((name) => name in value && typeof value[name] !== 'string');
  return odd.length === 0
    ? value
    : Object.fromEntries(Object.entries(value).filter(([name]) => !odd.some((text) => text === name)));
}

/** An answer to the SDK's own requests, such that its schemas take it. */
export function mendForSdk(message: JSONRPCResponse): JSONRPCResponse {
  const result: unknown = 'result' in message ? message.result : undefined;
  const isHandshake = isJsonObject(result) && ('protocolVersion' in result || 'supportedVersions' in result);
  return isHandshake ? ({ ...message, result: mendHandshake(result) } as JSONRPCResponse) : message;
}
