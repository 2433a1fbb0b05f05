import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { replaceFile } from '../../base/lib/replace-file.js';
import { cleanText } from '../../base/lib/text.js';
import type { Operation, Parameter } from '../../base/protocol/operation.js';
import type { RawTool } from '../../base/protocol/tools.js';
import type { UpstreamConfig } from '../../config/gateway-config.js';
import { publicUrlOf } from '../../config/public-url.js';
import { TRANSPORT_FACTS } from '../../config/transport-facts.js';
import type { Inspected } from '../../gateway/gateway.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { FROM_OPTION, type SourceFlags, withSource } from '../shared/source.js';
import { printJson, printLine, type Terminal } from '../shared/terminal.js';

interface ExportFlags extends SourceFlags {
  readonly discoveryBundle?: string;
}

const BUNDLE = 'discovery-bundle.json';

export function registerExport(program: Command, terminal: Terminal): void {
  program
    .command('export')
    .description("write what the servers' tools are, for other programs")
    .option(
      '--discovery-bundle <folder>',
      `one ${BUNDLE} for each server, in the form that MCP-AQL's tools read (schema 1.0.0-draft)`,
    )
    .option(...FROM_OPTION)
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<ExportFlags>();
      const { discoveryBundle: folder, json } = flags;
      if (folder === undefined) throw new CliError(EXIT_CODE.usage, "say what to export: '--discovery-bundle FOLDER'");
      const bundles = await withSource(flags, terminal, async (gateway) => bundlesOf(gateway, new Date()));
      const files: string[] = [];
      for (const [slug, bundle] of bundles) {
        await mkdir(join(folder, slug), { recursive: true });
        const file = join(folder, slug, BUNDLE);
        await replaceFile(file, `${JSON.stringify(bundle, null, 2)}\n`);
        files.push(file);
      }
      if (json === true) printJson(terminal, files);
      else for (const file of files) printLine(terminal, file);
    });
}

/** A bundle for each server whose tools are known, by its slug, in the order of the configuration. */
function bundlesOf(gateway: Inspected, now: Date): readonly (readonly [slug: string, bundle: JsonObject])[] {
  const own = `${publicUrlOf(gateway.config.server)}/mcp`;
  const known = new Map(gateway.toolSets().map(({ upstream, tools }) => [upstream, tools]));
  return gateway.config.upstreams.flatMap((upstream) => {
    const { slug } = upstream;
    const tools = known.get(slug);
    if (tools === undefined) return [];
    const operations = gateway
      .operations()
      .flatMap(({ operation }) => (operation.upstream === slug ? [operation] : []));
    const rawOf = (name: string): RawTool => tools.find((each) => each['name'] === name) ?? {};
    return [
      [
        slug,
        {
          schema_version: '1.0.0-draft',
          source: describeSource(upstream, own, now),
          raw_capture: { tools },
          normalized_bundle: {
            operations: operations.map((operation) => normalize(operation, rawOf(operation.tool))),
            warnings: [...warnOfSource(upstream), ...operations.flatMap(warnOf)],
          },
        },
      ],
    ];
  });
}

/** A process has no address of its own: it is reached at the gateway's. */
function describeSource({ name, endpoint }: UpstreamConfig, own: string, now: Date): JsonObject {
  const isProcess = endpoint.type === 'stdio';
  const isAuthorized = !isProcess && Object.keys(endpoint.headers).some((each) => /^authorization$/i.test(each));
  return {
    name,
    server_url: isProcess ? own : withoutSecrets(endpoint.url),
    transport: 'streamable_http',
    captured_at: now.toISOString(),
    auth: isAuthorized ? { type: 'bearer', header: 'Authorization' } : { type: 'none' },
    capture_config_redacted: { transport: endpoint.type },
  };
}

/** Keys stand in queries, too. */
function withoutSecrets(address: string): string {
  const url = new URL(address);
  for (const part of ['username', 'password', 'search', 'hash'] as const) url[part] = '';
  return url.href;
}

function normalize(operation: Operation, raw: RawTool): JsonObject {
  const { name, tool, description, classification } = operation;
  const { category, danger, confidence, evidence } = classification;
  const { annotations, title } = raw;
  const hints = isJsonObject(annotations) ? annotations : {};
  const shown = [title, hints['title']].find((each) => typeof each === 'string');
  const judged = confidence === 1 ? 'manual_override' : 'heuristic_classification';
  const isDescribed = typeof raw['description'] === 'string' && raw['description'] !== '';
  return {
    source_tool_name: tool,
    operation_name: name,
    ...(shown === undefined ? {} : { title: cleanText(shown) }),
    description: cleanText(description),
    endpoint: category,
    endpoint_confidence: levelOf(confidence),
    danger_level: danger.level,
    needs_review: confidence < SURE,
    review_reasons: confidence < SURE ? [...evidence, ...danger.reasons] : [],
    params: operation.parameters.map(describeParameter),
    maps_to: `tool:${tool}`,
    returns: { type: 'object', name: 'Envelope', description: "success, and the tool's result as data" },
    provenance: {
      name: 'name',
      ...(isDescribed ? { description: 'description' } : {}),
      annotations: Object.keys(hints),
      input_schema_present: isJsonObject(raw['inputSchema']),
      inference_sources: {
        operation_name: name === tool ? 'direct_source_metadata' : 'deterministic_normalization',
        description: isDescribed ? 'direct_source_metadata' : 'heuristic_classification',
        endpoint: judged,
        danger_level: judged,
        maps_to: 'deterministic_normalization',
      },
    },
  };
}

/** From here on a classification needs no review, and from here on it is more than a guess. */
const SURE = 0.8;
const LIKELY = 0.5;

function levelOf(confidence: number): 'high' | 'medium' | 'low' {
  return confidence >= SURE ? 'high' : confidence >= LIKELY ? 'medium' : 'low';
}

const NUMBERS = ['minimum', 'maximum'] as const;
const TEXTS = ['description', 'pattern', 'format'] as const;

function describeParameter({ name, upstreamName, required, schema }: Parameter): JsonObject {
  const facts = isJsonObject(schema) ? schema : {};
  const type = [facts['type']].flat().find((each) => typeof each === 'string' && each !== 'null');
  const texts = TEXTS.filter((each) => typeof facts[each] === 'string');
  const numbers = NUMBERS.filter((each) => typeof facts[each] === 'number');
  const values = Array.isArray(facts['enum']) ? facts['enum'].filter((each) => typeof each === 'string') : [];
  return {
    name,
    original_name: upstreamName,
    type: type ?? 'object',
    required,
    ...Object.fromEntries([...texts, ...numbers].map((each) => [each, facts[each]])),
    ...(facts['default'] === undefined ? {} : { default: facts['default'] }),
    ...(values.length === 0 ? {} : { enum: values }),
    source_path: `inputSchema.properties.${upstreamName}`,
  };
}

function warnOfSource({ endpoint }: UpstreamConfig): readonly JsonObject[] {
  if (endpoint.type === 'http') return [];
  const message = `The server ${TRANSPORT_FACTS[endpoint.type].says}. Its tools are reached over Streamable HTTP at the gateway, in the mode 'passthrough'`;
  return [{ code: 'OTHER_TRANSPORT', severity: 'info', message }];
}

function warnOf({ name, tool, fixedArguments, parameters, classification }: Operation): readonly JsonObject[] {
  const warn = (code: string, message: string, more: JsonObject = {}): JsonObject => {
    return { code, severity: 'info', message, tool, ...more };
  };
  const { confidence, evidence } = classification;
  const isDoubtful = confidence < SURE;
  return [
    ...(name === tool ? [] : [warn('NAME_NORMALIZED', `The tool '${tool}' is the operation '${name}'`)]),
    ...(fixedArguments === undefined
      ? []
      : [warn('PART_OF_TOOL', `'${name}' is the tool with ${JSON.stringify(fixedArguments)}`)]),
    ...(isDoubtful
      ? [
          warn('REVIEW_REQUIRED', evidence[0] ?? 'its effect is not known', {
            severity: confidence < LIKELY ? 'warning' : 'info',
          }),
        ]
      : []),
    ...parameters.flatMap((each) =>
      each.name === each.upstreamName
        ? []
        : [
            warn('PARAM_NAME_NORMALIZED', `'${each.upstreamName}' is called '${each.name}'`, {
              field: each.upstreamName,
            }),
          ],
    ),
  ];
}
