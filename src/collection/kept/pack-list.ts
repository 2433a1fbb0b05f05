import type { PackedList } from '../kept-results.js';

/** Packs JSON values: exactly as many bytes as their JSON texts take in UTF-8, and four an item for where it ends. */
export function packList(items: readonly unknown[]): PackedList {
  return packTexts(items.map((item) => JSON.stringify(item) ?? 'null'));
}

/** Packs items that are JSON texts already. */
export function packTexts(texts: readonly string[]): PackedList {
  const ends = new Uint32Array(texts.length);
  let size = 0;
  texts.forEach((text, index) => {
    size += Buffer.byteLength(text);
    ends[index] = size;
  });
  // Unpooled: a small list must not hold on to a pool's slab that nobody counts.
  const content = Buffer.allocUnsafeSlow(size);
  texts.forEach((text, index) => {
    content.write(text, ends[index - 1] ?? 0);
  });
  return readPacked(content, ends);
}

/** Apart from the packing, so that what is kept does not hold on to the texts that it was packed from. */
function readPacked(content: Buffer, ends: Uint32Array): PackedList {
  const textAt = (index: number): string => {
    const end = ends[index];
    if (end === undefined) throw new RangeError(`There is no item ${index} in a list of ${ends.length}`);
    return content.toString('utf8', ends[index - 1] ?? 0, end);
  };
  return {
    length: ends.length,
    bytes: content.byteLength + ends.byteLength,
    textAt,
    valueAt: (index) => JSON.parse(textAt(index)),
  };
}
