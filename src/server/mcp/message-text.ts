/** The JSON of one message: a text, or the pieces of one in bytes. It holds no line break. */
export type MessageText = string | readonly Buffer[];

/** The pieces of a message in bytes. */
export function piecesOf(message: MessageText): readonly Buffer[] {
  return typeof message === 'string' ? [Buffer.from(message)] : message;
}

/** In characters, or in bytes where it is in bytes. */
export function lengthOf(message: MessageText): number {
  return typeof message === 'string' ? message.length : message.reduce((sum, piece) => sum + piece.length, 0);
}

/** A message between two texts. */
export function surround(before: string, message: MessageText, after: string): MessageText {
  return typeof message === 'string'
    ? `${before}${message}${after}`
    : [Buffer.from(before), ...message, Buffer.from(after)];
}

export function joinMessages(messages: readonly MessageText[], between: string): MessageText {
  const texts = messages.filter((message) => typeof message === 'string');
  if (texts.length === messages.length) return texts.join(between);
  const [first, ...others] = messages;
  const separator = Buffer.from(between);
  return [...piecesOf(first ?? ''), ...others.flatMap((message) => [separator, ...piecesOf(message)])];
}
