import { isJsonObject, type JsonObject } from '../../base/json/json.js';

/**
 * The answer to a call during which the server asked in vain: where the call has failed, the caller reads that too. An answer to a
 * call that succeeded all the same stays as it is.
 */
export function explainRefusal(message: JsonObject, refusal: string): JsonObject {
  const { result, error } = message;
  if (isJsonObject(error)) {
    const said = typeof error['message'] === 'string' ? error['message'] : '';
    return { ...message, error: { ...error, message: said === '' ? refusal : `${said}. ${refusal}` } };
  }
  if (!isJsonObject(result) || result['isError'] !== true) return message;
  const content = Array.isArray(result['content']) ? result['content'] : [];
  return { ...message, result: { ...result, content: [...content, { type: 'text', text: refusal }] } };
}
