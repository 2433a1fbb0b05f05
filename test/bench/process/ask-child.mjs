/**
 * Lets a child that runs `answerParent` do things: `ask(verb, request)` resolves with its answer and rejects with its
 * failure, or with its end.
 * @param started what `startNode` returned, with an IPC channel
 * @param name what faults call the child
 */
export function askChild({ child, log }, name) {
  const waiting = new Map();
  let seq = 0;
  child.on('message', ({ seq: answered, result, error }) => {
    const { resolve, reject } = waiting.get(answered);
    waiting.delete(answered);
    if (error === undefined) resolve(result);
    else reject(new Error(error));
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} exited with ${code}\n${log()}`));
  });
  return (verb, request) =>
    new Promise((resolve, reject) => {
      seq += 1;
      waiting.set(seq, { resolve, reject });
      child.send({ seq, verb, ...request });
    });
}
