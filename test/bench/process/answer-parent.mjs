/** Does what the parent asks for over IPC, and ends with it. A request is `{seq, verb, ...}`; verbs are functions of the rest. */
export function answerParent(verbs) {
  process.on('message', async ({ seq, verb, ...request }) => {
    try {
      process.send({ seq, result: await verbs[verb](request) });
    } catch (error) {
      process.send({ seq, error: error.stack });
    }
  });
  process.on('disconnect', () => process.exit(0));
}
