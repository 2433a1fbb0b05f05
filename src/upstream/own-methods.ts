/** Requests that the gateway makes for itself, or about a call that is in flight already. */
export const OWN_METHODS: ReadonlySet<string> = new Set([
  'ping',
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'logging/setLevel',
]);
