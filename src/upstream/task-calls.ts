import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { extensionOf } from '../base/protocol/extensions.js';
import { TASKS_EXTENSION } from '../base/protocol/tasks.js';
import type { RawTool } from '../base/protocol/tools.js';
import { driveTask, type TaskSurroundings } from './drive-task.js';
import type { DriveTask } from './task-requests.js';
import type { UpstreamCall } from './upstream.js';

/** How a call that may run as a task is sent. */
interface TaskCall {
  /** Beside the name and arguments of the tool. */
  readonly params: JsonObject;
  readonly onProgress: NonNullable<UpstreamCall['onProgress']>;
  readonly drive: DriveTask;
}

type TaskServer = Pick<TaskSurroundings, 'era' | 'request' | 'fetch' | 'asks'>;

/** The calls of a connection that may run as tasks; undefined where its server has none. @param capabilities what it declares */
export function findTaskCalls(server: TaskServer, capabilities: JsonObject): TaskCalls | undefined {
  const isOffered =
    server.era === 'modern' ? extensionOf(capabilities, TASKS_EXTENSION) !== undefined : declaresTasks(capabilities);
  return isOffered ? new TaskCalls(server) : undefined;
}

/** Which calls of a connection may run as tasks. */
export class TaskCalls {
  readonly #server: TaskServer;
  /** Those that can only run as tasks, where the client decides that. */
  #tools: ReadonlySet<unknown> = new Set();
  /** What every call has to say the client knows, where the server decides which calls become tasks. */
  readonly extensions: JsonObject | undefined;

  constructor(server: TaskServer) {
    this.#server = server;
    this.extensions = server.era === 'modern' ? { [TASKS_EXTENSION]: {} } : undefined;
  }

  noteTools(tools: readonly RawTool[]): void {
    const isTask = ({ execution }: JsonObject): boolean =>
      isJsonObject(execution) && execution['taskSupport'] === 'required';
    this.#tools = new Set(tools.filter((tool) => isJsonObject(tool) && isTask(tool)).map(({ name }) => name));
  }

  /** Undefined for a call that is certainly no task. Tools that can be called either way are called without one. */
  of(
    call: UpstreamCall,
    { timeoutMs, maxMs }: { readonly timeoutMs: number; readonly maxMs: number },
  ): TaskCall | undefined {
    const { era } = this.#server;
    if (era === 'legacy' && !this.#tools.has(call.tool)) return undefined;
    let own = 0;
    let said = 0;
    const onProgress: TaskCall['onProgress'] = (update) => {
      own += 1;
      call.onProgress?.(update);
    };
    const { extensions } = this;
    const around: TaskSurroundings = {
      ...this.#server,
      call,
      timeoutMs,
      meta: extensions === undefined ? undefined : { [CLIENT_CAPABILITIES_META_KEY]: { extensions } },
      // A server that reports progress says there what it does. The numbers of the two would not fit together.
      onStatus(message) {
        if (own > 0) return;
        said += 1;
        call.onProgress?.({ progress: said, message });
      },
    };
    const params = era === 'modern' ? {} : { task: { ttl: Math.max(timeoutMs, maxMs) } };
    return {
      params,
      onProgress,
      drive: (task, running) => {
        call.onTask?.();
        return driveTask(task, running, around);
      },
    };
  }
}

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#capabilities */
function declaresTasks({ tasks }: JsonObject): boolean {
  const requests = isJsonObject(tasks) ? tasks['requests'] : undefined;
  const tools = isJsonObject(requests) ? requests['tools'] : undefined;
  return isJsonObject(tools) && isJsonObject(tools['call']);
}
