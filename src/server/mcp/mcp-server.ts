import type { Observer } from '../../base/observe/observation.js';
import type { Gateway } from '../../gateway/gateway.js';
import { createRequestAnswerer } from './answer-request.js';
import { OpenQuestions } from './elicitation.js';
import { LogLevels } from './log-levels.js';
import { ParkedCalls } from './parked-calls.js';
import { createMessageReceiver } from './receive-message.js';
import { Subscriptions } from './subscriptions.js';
import type { ResultWriter, ServerInfo } from './write-result.js';

interface McpServerDeps {
  readonly gateway: Gateway;
  readonly serverInfo: ServerInfo;
  readonly observe: Observer;
  readonly writer: ResultWriter;
  /** Hears which log messages a session asks for; the gateway where absent. */
  readonly levels?: Pick<Gateway, 'setLogLevel'>;
}

/** What every connection has that speaks MCP, over HTTP or stdio: the way of its messages, and what they leave open. */
export function openMcpServer({ gateway, serverInfo, observe, writer, levels = gateway }: McpServerDeps) {
  const { questionTimeoutMs, maxSessions } = gateway.config.server;
  const questions = new OpenQuestions(questionTimeoutMs);
  const parked = new ParkedCalls();
  const logs = new LogLevels(levels);
  const subscriptions = new Subscriptions({ native: gateway.native, writer, max: maxSessions });
  const open = { questions, parked, logs, subscriptions };
  const answer = createRequestAnswerer({ gateway, writer, serverInfo, observe, ...open });
  return { receive: createMessageReceiver(answer, questions), ...open };
}
