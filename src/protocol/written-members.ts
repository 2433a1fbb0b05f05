import { joinPieces, lengthOf, type Pieces } from './pieces.js';

/** A member of a large result, with its JSON in bytes, in which numbers are as the server wrote them. */
export interface WrittenMember {
  readonly name: string;
  readonly value: unknown;
  readonly json: Pieces;
}

/** The members without the braces around them. */
export function joinMembers(members: readonly WrittenMember[]): Pieces {
  return members.flatMap(({ name, json }, index) => [
    Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
    ...json,
  ]);
}

/** The bytes of the result that they are. */
export function sizeOfMembers(members: readonly WrittenMember[]): number {
  return lengthOf(joinMembers(members)) + '{}'.length;
}

/** The JSON text of the result that they are, for whoever needs it as one text: that takes long. */
export function textOfMembers(members: readonly WrittenMember[]): string {
  return `{${joinPieces(joinMembers(members)).toString('utf8')}}`;
}
