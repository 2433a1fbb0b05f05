import type { JsonObject } from '../../base/json/json.js';
import type { OAuthConfig } from '../../config/access-config.js';

/** Where RFC 9728 puts the metadata of a resource: before its path. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** What stands behind the path of MCP: the name of a view, or nothing. */
const VIEW = /^\/[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** The part of a request's path that is a view's. @param path behind that of MCP */
function viewIn(path: string): string {
  const [plain = ''] = path.split('?');
  return VIEW.test(plain) ? plain : '';
}

/** The address of the metadata of the resource that a request is for. @param path of the request behind that of MCP */
export function metadataAddress({ resource }: OAuthConfig, path: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${METADATA_PATH}${pathname}${viewIn(path)}`;
}

/** The metadata document (RFC 9728). @param path of the request behind `METADATA_PATH` */
export function describeResource({ resource, issuers }: OAuthConfig, path: string): JsonObject {
  const { pathname } = new URL(resource);
  const view = path.startsWith(pathname) ? viewIn(path.slice(pathname.length)) : '';
  return {
    resource: `${resource}${view}`,
    resource_name: 'MCP-AQL gateway',
    authorization_servers: issuers.map(({ issuer }) => issuer),
    bearer_methods_supported: ['header'],
    ...(scopesOf(issuers).length === 0 ? {} : { scopes_supported: scopesOf(issuers) }),
  };
}

/** What a client should ask for. */
export function scopesOf(issuers: OAuthConfig['issuers']): string[] {
  return [...new Set(issuers.flatMap(({ scopes }) => scopes))];
}
