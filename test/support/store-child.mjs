// Another process that uses the same store: does one task on the store of its first argument when it gets a message.
import { openStore } from '../../dist/store/open-store.js';

const expiresAt = Date.now() + 60_000;

const TASKS = {
  /** Inserts, and kills itself as soon as the store has confirmed. */
  async insertAndDie(store, keys) {
    for (const key of keys) await store.insert('token', key, { key }, { expiresAt });
    await store.increment([{ counter: 'counter', by: keys.length, expiresAt }]);
    process.kill(process.pid, 'SIGKILL');
  },
  /** Tries to replace each record; answers with the keys of those that it replaced. */
  async replaceAll(store, { keys, version }) {
    const won = [];
    for (const key of keys) if (await store.replace('token', key, version[key], { by: process.pid })) won.push(key);
    return won;
  },
  /** Counts up to the limit; answers with the number that it added. */
  async countUp(store, { attempts, limit }) {
    let added = 0;
    for (let n = 0; n < attempts; n++)
      if ((await store.increment([{ counter: 'counter', by: 1, expiresAt, limit }])).added) added++;
    return added;
  },
};

process.once('message', async ({ config, task, input }) => {
  const store = await openStore(config);
  process.send(await TASKS[task](store, input));
  await store.close();
  process.disconnect();
});
process.send('ready');
