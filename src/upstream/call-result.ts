import type { JsonObject } from '../protocol/json.js';
import type { SplitAnswer } from './split-answer.js';
import type { UnreadMessage } from './unread-message.js';

/** The result of a request: as a value, with its text as it came, or unread. */
export type CallResult = JsonObject | SplitAnswer | UnreadMessage;
