import { join } from 'node:path';
import { CATALOGUE_SIZE } from '../gate/gated-calls.mjs';
import { importBuilt } from '../inner/built-modules.mjs';
import { buildInnerSnapshot, configure, createPass, OPEN_SERVICE } from '../inner/inner-gateway.mjs';
import { buildTools } from '../server/catalogue.mjs';
import { LIST_ROWS, ROWS_TEXT } from './rows.mjs';

/**
 * The built gateway's own pipeline, over one catalog and an upstream that answers at once or when `answerLarge` does.
 * @param answerLarge what `list_rows` answers a call's arguments with
 * @returns `openPass(settings)`: a pipeline that shapes results, with the defaults but for these settings; without them
 *   one that looks at no answer. Gives `{pass, results}`
 */
export async function openAnswers({ modules, directory }, answerLarge = () => ROWS_TEXT) {
  const built = await importBuilt(modules);
  const config = await configure(built, join(directory, 'answers'));
  const tools = [...buildTools(CATALOGUE_SIZE), LIST_ROWS];
  const snapshot = buildInnerSnapshot(built, config, tools, (args, tool) =>
    tool === LIST_ROWS.name ? answerLarge(args) : args.text,
  );
  return (settings) => {
    const results =
      settings === undefined ? built.passResults : built.createResultService({ ...config.results, ...settings });
    // Heavy queries are answered by a thread.
    const { shape: shapeLarge } = built.openLargeAnswers({
      settings: () => config,
      results,
      links: { noteLinks: () => undefined, ofOthers: () => [] },
      budget: new built.MemoryBudget(),
      observe: () => undefined,
    });
    return { pass: createPass(built, { ...OPEN_SERVICE, results, shapeLarge }, config, snapshot), results };
  };
}
