/** Letters of other alphabets that look like Latin ones, and these; each stands for itself below it. */
const LOOK_ALIKES = new Map(
  [
    // Cyrillic
    ['АВЕКМНОРСТУХІЈЅԚԜ', 'ABEKMHOPCTYXIJSQW'],
    ['аекморстухіјѕһԁԛԝӏгпԍѵ', 'aekmopctyxijshdqwlrngv'],
    // Greek
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
    ['αεηικνορτυχγω', 'aenikvoptuxyw'],
    // Latin letters beside the alphabet
    ['ıɑɡɩʟɴʀʏƖǀⱱꞵ', 'iagilnryllvb'],
  ].flatMap(([others = '', latin = '']) =>
    [...others].map((letter, index) => [letter, latin[index] ?? letter] as const),
  ),
);

const NOT_ASCII = /\P{ASCII}/u;

/**
 * The text with the Latin letters that other alphabets' look like, and without accents: what people and models read as one word is then one
 * word. Only for comparing; both sides of a comparison are to be spelled so.
 */
export function spellAsRead(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\P{ASCII}/gu, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}
