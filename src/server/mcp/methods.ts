import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { isVendorMethod } from '../../base/protocol/extensions.js';
import { LOG_LEVELS } from '../../base/protocol/log-message.js';
import { bool, expected, type Form, list, object, oneOf, optional, record, text } from './params-form.js';
import type { Era } from './write-result.js';

/** One of MCP's methods. */
interface Method {
  readonly eras: readonly Era[];
  /** What its params must be. What else goes to a server is judged by that. */
  readonly form: Form;
  /** The member of the params that the header `Mcp-Name` repeats. */
  readonly named?: string;
  /** Whether it may be asked only by clients of 2026-07-28 that declare the extension for tasks. */
  readonly needsTasks?: (params: JsonObject) => boolean;
}

const BOTH: readonly Era[] = ['legacy', 'modern'];
const LEGACY: readonly Era[] = ['legacy'];
const MODERN: readonly Era[] = ['modern'];

const NOTHING = object();
const PAGED = object({ cursor: optional(text) });
const BY_URI = { form: object({ uri: text }), named: 'uri' };
const BY_TASK = { form: object({ taskId: text }), named: 'taskId', needsTasks: () => true };

const SECOND_PAGE: Form = (value, path) =>
  typeof value === 'string'
    ? [`'${path}': unknown, as the list of tools has one page`]
    : [expected(path, 'string', value)];

const REFERENCE: Form = (value, path) => {
  const isResource = isJsonObject(value) && value['type'] === 'ref/resource';
  const form = isResource ? { uri: text } : { type: oneOf(['ref/prompt', 'ref/resource']), name: text };
  return object(form)(value, path);
};

const SUBSCRIPTIONS = object({
  notifications: object({
    toolsListChanged: optional(bool),
    promptsListChanged: optional(bool),
    resourcesListChanged: optional(bool),
    resourceSubscriptions: optional(list(text)),
    taskIds: optional(list(text)),
  }),
});

export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'initialize',
    {
      eras: LEGACY,
      form: object({
        protocolVersion: text,
        capabilities: object(),
        clientInfo: object({ name: text, version: text }),
      }),
    },
  ],
  ['server/discover', { eras: MODERN, form: NOTHING }],
  ['ping', { eras: LEGACY, form: NOTHING }],
  ['logging/setLevel', { eras: LEGACY, form: object({ level: oneOf(LOG_LEVELS) }) }],
  ['subscriptions/listen', { eras: MODERN, form: SUBSCRIPTIONS, needsTasks: namesTasks }],
  // Their arguments are judged by the gateway, whose answer is read by the model.
  ['tools/call', { eras: BOTH, form: object({ name: text }), named: 'name' }],
  ['tools/list', { eras: BOTH, form: object({ cursor: optional(SECOND_PAGE) }) }],
  ['resources/list', { eras: BOTH, form: PAGED }],
  ['resources/templates/list', { eras: BOTH, form: PAGED }],
  ['resources/read', { eras: BOTH, ...BY_URI }],
  ['resources/subscribe', { eras: LEGACY, ...BY_URI }],
  ['resources/unsubscribe', { eras: LEGACY, ...BY_URI }],
  ['skills/list', { eras: BOTH, form: PAGED }],
  ['skills/get', { eras: BOTH, form: BY_URI.form }],
  ['resources/directory/read', { eras: BOTH, form: object({ uri: text, cursor: optional(text) }) }],
  ['prompts/list', { eras: BOTH, form: PAGED }],
  ['prompts/get', { eras: BOTH, form: object({ name: text, arguments: optional(record(text)) }), named: 'name' }],
  [
    'completion/complete',
    {
      eras: BOTH,
      form: object({
        ref: REFERENCE,
        argument: object({ name: text, value: text }),
        context: optional(object({ arguments: optional(record(text)) })),
      }),
    },
  ],
  ['tasks/get', { eras: BOTH, ...BY_TASK }],
  ['tasks/cancel', { eras: BOTH, ...BY_TASK }],
  ['tasks/update', { eras: MODERN, ...BY_TASK }],
  ['tasks/result', { eras: LEGACY, ...BY_TASK }],
  ['tasks/list', { eras: LEGACY, form: PAGED }],
]);

const OF_VENDOR: Method = { eras: BOTH, form: NOTHING };

/** Undefined for what is certainly no method: which methods the extensions of servers have, the gateway knows. */
export function findMethod(name: string): Method | undefined {
  return METHODS.get(name) ?? (isVendorMethod(name) ? OF_VENDOR : undefined);
}

function namesTasks({ notifications }: JsonObject): boolean {
  return isJsonObject(notifications) && notifications['taskIds'] !== undefined;
}
