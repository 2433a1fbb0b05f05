/** Why a text is no expression; never leaves the folder. */
export class ExpressionFault extends Error {
  /** @param at the place of the character, from 1 */
  constructor(message: string, at: number) {
    super(`at character ${at}: ${message}`);
    this.name = 'ExpressionFault';
  }
}
