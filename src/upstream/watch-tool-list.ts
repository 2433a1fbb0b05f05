import type { Client } from '@modelcontextprotocol/client';

/** Pause before a change subscription that the server ended is opened again. */
const RESUBSCRIBE_MS = 5_000;

export interface ToolListWatch {
  readonly client: Client;
  readonly era: 'legacy' | 'modern';
  /** Reads the whole list again. */
  readonly readAll: () => Promise<void>;
  readonly onOddity: (message: string) => void;
}

/** Reads the tools again whenever the server says that they have changed. Ends with the connection. */
export function watchToolList({ client, era, readAll, onOddity }: ToolListWatch): void {
  client.setNotificationHandler(
    'notifications/tools/list_changed',
    coalesce(readAll, () => onOddity('its changed tool list could not be read; the old one stays')),
  );
  // A modern server tells nobody who did not subscribe.
  if (era === 'modern' && client.getServerCapabilities()?.tools?.listChanged === true)
    void keepSubscribed(client, onOddity);
}

/** However many changes come while one reading is under way, one more reading follows. */
function coalesce(work: () => Promise<void>, onFailure: () => void): () => void {
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    running = true;
    do {
      again = false;
      await work().catch(onFailure);
    } while (again);
    running = false;
  };
  return () => {
    again = true;
    if (!running) void run();
  };
}

async function keepSubscribed(client: Client, onOddity: (message: string) => void): Promise<void> {
  while (client.transport !== undefined) {
    try {
      const subscription = await client.listen({ toolsListChanged: true });
      if ((await subscription.closed) === 'local') return;
    } catch {
      if (client.transport === undefined) return;
      onOddity('it offers notice of changed tools but refused the subscription');
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, RESUBSCRIBE_MS).unref());
  }
}
