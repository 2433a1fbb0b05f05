import { isJsonObject, type JsonObject } from '../json/json.js';

/** MCP Apps: pages of servers, which are resources. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

/** Lists of what among a server's resources are skills. https://modelcontextprotocol.io/extensions/skills/overview */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

/** The methods of a vendor's extension begin with its name, which begins with a domain. */
const OF_VENDOR = /^[^/]*\.[^/]*\/[^/]+\/./;

/** Whether a method may be one of a vendor's extension: none of MCP's own has such a name. */
export function isVendorMethod(method: string): boolean {
  return OF_VENDOR.test(method);
}

/** What a client or a server that declares these capabilities says of an extension of MCP; undefined where it has none. */
export function extensionOf(capabilities: unknown, name: string): JsonObject | undefined {
  const extensions = isJsonObject(capabilities) ? capabilities['extensions'] : undefined;
  const said = isJsonObject(extensions) ? extensions[name] : undefined;
  return isJsonObject(said) ? said : undefined;
}
