import { isJsonContentType } from '@modelcontextprotocol/server';

/** Whether a request's body says that it is JSON. */
export function sendsJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || isJsonContentType(contentType);
}

/**
 * Whether a client takes a plain JSON answer. The protocol wants both types in `Accept`; a client that names JSON alone, a
 * wildcard or nothing can be served all the same, without progress.
 */
export function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || /application\/(json|\*)|\*\/\*/i.test(accept);
}

/** Whether a client has said that it reads event streams; a wildcard does not say so. */
export function acceptsStream(accept: string | undefined): boolean {
  return accept?.includes('text/event-stream') ?? false;
}
