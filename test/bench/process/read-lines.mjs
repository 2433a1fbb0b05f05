const NEWLINE = 0x0a;

/** Calls `onLine` with each complete line of a byte stream, without its newline. */
export function readLines(stream, onLine) {
  let rest = [];
  stream.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const last = chunk.subarray(start, end);
      onLine((rest.length === 0 ? last : Buffer.concat([...rest, last])).toString());
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  });
}
