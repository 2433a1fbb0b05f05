import { json } from 'node:stream/consumers';
import { loadTokenCounter } from './token-count.js';

// Started by `countInProcess`: counts the tokens of each text that it reads.
const [count, texts] = await Promise.all([loadTokenCounter(), json(process.stdin)]);
process.stdout.write(JSON.stringify((texts as readonly string[]).map(count)));
