/** Words that make a parameter a secret at any place of its name. */
const SECRET =
  /(?:^|_)(?:password|passwd|passphrase|pwd|secrets?|credentials?|api_?keys?|access_keys?|private_keys?|secret_keys?|signing_keys?|encryption_keys?|authorization|bearer|pin_code|otp|cvv)(?:_|$)/;

/** A token is a secret, unless it counts something or marks a place in a list. */
const TOKEN = /(?:^|_)tokens?(?:_value)?$/;
const HARMLESS_TOKEN =
  /(?:^|_)(?:max|min|num|total|budget|used|page|next|prev|previous|cursor|continuation|sync|delta|skip|stop|limit|count|of|per)_(?:\w+_)?tokens?/;

/** Whether a canonical parameter name says that its value is a secret, which must never be shown or logged. */
export function isSensitiveName(name: string): boolean {
  return SECRET.test(name) || (TOKEN.test(name) && !HARMLESS_TOKEN.test(name) && name !== 'tokens');
}
