import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startNode } from '../../bench/process/children.mjs';
import { makeScratchDirectory } from '../../bench/process/scratch-directory.mjs';
import { writeFolder, writeGraph } from './make-data.mjs';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Starts the shipped gateway with its shipped configuration and the three real servers, over data made for it.
 * @param program the gateway's entry point
 * @param results settings of the `results` section other than the defaults
 * @returns `call(request)`: the answer's text, for `{tool, operation, params}`; `close()`
 */
export async function openGateway(program, results) {
  const directory = makeScratchDirectory();
  const data = join(directory, '.mcp-aql');
  const files = join(data, 'files');
  mkdirSync(files, { recursive: true });
  writeFolder(files);
  writeGraph(join(data, 'memory.json'));
  const started = await serve(program, writeConfig(directory, results));
  const client = new Client({ name: 'eval', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(started.url)));
  return {
    async call({ tool, ...request }) {
      const { content } = await client.callTool({ name: tool, arguments: request });
      // The folder is different every time; the length of its name must not change the number of tokens.
      return content
        .map((block) => block.text ?? '')
        .join('\n')
        .replaceAll(files, '/home/ada/files');
    },
    async close() {
      await client.close();
      await started.stop();
    },
  };
}

function writeConfig(directory, results) {
  const shipped = JSON.parse(readFileSync(join(REPOSITORY, 'gateway.config.json'), 'utf8'));
  const file = join(directory, 'gateway.config.json');
  writeFileSync(file, JSON.stringify({ ...shipped, upstreamsDir: join(REPOSITORY, 'upstreams'), results }));
  return file;
}

/** The start report is the only thing on stdout; it comes when every upstream has been tried. */
async function serve(program, config) {
  return await new Promise((resolve, reject) => {
    let report = '';
    const started = startNode([program, 'serve', '--json', '--config', config, '--port', '0'], {
      onLine(line) {
        report += line;
        const url = readUrl(report);
        if (url !== undefined) resolve({ ...started, url });
      },
    });
    started.child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}\n${started.log()}`)));
  });
}

function readUrl(report) {
  try {
    return JSON.parse(report).url;
  } catch {
    // The report is not complete yet.
    return undefined;
  }
}
