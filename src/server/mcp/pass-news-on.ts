import type { Caller } from '../../base/protocol/caller.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { LogLevels } from './log-levels.js';
import type { Subscriptions } from './subscriptions.js';
import { writeListChanged, writeResourceUpdated } from './write-result.js';

/** Where news goes. */
interface Listening {
  /** Sends a message (JSON text) to every session of a client up to 2025-11-25, or to those that are asked for. */
  notify(text: string, isWanted?: (caller: Caller) => boolean): void;
  readonly subscriptions: Subscriptions;
  readonly logs: LogLevels;
  /** The session where there is but one. */
  readonly onlySession?: string;
}

/** Sends news of changes to those who listen. Returns a function that ends it. */
export function passNewsOn(gateway: Gateway, { notify, subscriptions, logs, onlySession }: Listening): () => void {
  const tellChange = (kind: 'tools' | 'resources' | 'prompts', isConcerned: (caller: Caller) => boolean): void => {
    notify(writeListChanged(kind), isConcerned);
    subscriptions.listChanged(kind, isConcerned);
  };
  const stopTools = gateway.onToolsChanged((isConcerned) => tellChange('tools', isConcerned));
  const stopOthers = gateway.native.listen({
    listChanged: tellChange,
    resourceUpdated(uri, subscribers) {
      notify(writeResourceUpdated(uri), (caller) => subscribers.has(caller.sessionId));
      subscriptions.resourceUpdated(uri, subscribers);
    },
    logged(sessionId = onlySession, message) {
      const text = sessionId === undefined ? undefined : logs.messageFor(sessionId, message);
      if (text !== undefined) notify(text, (caller) => caller.sessionId === sessionId);
    },
  });
  return () => {
    stopTools();
    stopOthers();
  };
}
