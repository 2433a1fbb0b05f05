import type { Gateway } from '../../gateway/gateway.js';
import type { LogLevels } from '../mcp/log-levels.js';
import type { ModernHandler } from '../mcp/sdk-handler.js';
import { isStreamSubscriber } from '../mcp/stream-watches.js';
import { writeListChanged, writeResourceUpdated } from '../mcp/write-result.js';
import type { LegacySessions } from './sessions.js';

/** Where news goes. */
interface Listening {
  readonly sessions: LegacySessions;
  readonly modern: ModernHandler;
  readonly logs: LogLevels;
}

/** Sends news of changes to those who listen. Returns a function that ends it. */
export function passNewsOn(gateway: Gateway, { sessions, modern, logs }: Listening): () => void {
  const stopTools = gateway.onToolsChanged(() => {
    sessions.notify(writeListChanged('tools'));
    modern.notify.toolsChanged();
  });
  const stopOthers = gateway.native.listen({
    listChanged(kind) {
      sessions.notify(writeListChanged(kind));
      if (kind === 'prompts') modern.notify.promptsChanged();
      else modern.notify.resourcesChanged();
    },
    resourceUpdated(uri, subscribers) {
      // The SDK finds the streams that have named it.
      if ([...subscribers].some(isStreamSubscriber)) modern.notify.resourceUpdated(uri);
      sessions.notify(writeResourceUpdated(uri), (sessionId) => subscribers.has(sessionId));
    },
    logged(sessionId, message) {
      const text = sessionId === undefined ? undefined : logs.messageFor(sessionId, message);
      if (text !== undefined) sessions.notify(text, (id) => id === sessionId);
    },
  });
  return () => {
    stopTools();
    stopOthers();
  };
}
