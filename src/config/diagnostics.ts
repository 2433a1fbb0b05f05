import { formatPath, type JsonPath } from '../lib/json-path.js';

/** Collects what is wrong while a configuration is read, so that the operator learns everything at once. */
export interface ConfigReport {
  readonly problems: ConfigProblem[];
  readonly warnings: string[];
}

/** Where a value really came from when it is not the file it was laid over. */
export interface Origin {
  readonly file: string;
  readonly path: string;
}

/** The part of a report that speaks of one document. */
export interface Diagnostics {
  /** The document's name in messages. */
  readonly source: string;
  problem(path: JsonPath, message: string, suggestion?: string): void;
  warning(path: JsonPath, message: string): void;
  /** Whether a problem was noted at this path or below; what follows from it need not be told again. */
  has(path: JsonPath): boolean;
}

/** One thing wrong with the configuration. */
export interface ConfigProblem {
  /** The file as the operator knows it, `environment` or `command line`. */
  readonly file: string;
  /** The JSON path, the variable or the flag. */
  readonly path: string;
  /** What is wrong and what was expected. Never a value that may be secret. */
  readonly message: string;
  /** The next step: "did you mean 'mcpServers'?" */
  readonly suggestion?: string;
}

export function createReport(): ConfigReport {
  return { problems: [], warnings: [] };
}

/**
 * Opens the notes of one document.
 * @param origins by formatted path: values laid over the document, whose notes name the variable or flag instead.
 */
export function openDiagnostics(
  report: ConfigReport,
  source: string,
  origins: ReadonlyMap<string, Origin> = new Map(),
): Diagnostics {
  const noted: JsonPath[] = [];
  const placeOf = (path: JsonPath): Origin => {
    const key = formatPath(path);
    return origins.get(key) ?? { file: source, path: key };
  };
  return {
    source,
    problem(path, message, suggestion) {
      noted.push(path);
      report.problems.push({ ...placeOf(path), message, ...(suggestion === undefined ? {} : { suggestion }) });
    },
    warning(path, message) {
      const place = placeOf(path);
      report.warnings.push(`${place.file}: ${place.path}: ${message}`);
    },
    has: (path) => noted.some((other) => path.every((step, index) => step === other[index])),
  };
}

/** Notes that keep quiet: for values that do not count, as those of a server that is switched off. */
export function muteDiagnostics(diagnostics: Diagnostics): Diagnostics {
  return { ...diagnostics, problem: () => {}, warning: () => {} };
}

/** A configuration that cannot be used. Its message is meant for the operator and names every problem. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(renderProblems(problems));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** All problems as text, by file, in the order in which they were found. */
function renderProblems(problems: readonly ConfigProblem[]): string {
  const head =
    problems.length === 1 ? 'The configuration has a problem:' : `The configuration has ${problems.length} problems:`;
  const files = [...new Set(problems.map((problem) => problem.file))];
  const sections = files.map((file) => {
    const lines = problems.filter((problem) => problem.file === file).flatMap(renderProblem);
    return ['', file, ...lines].join('\n');
  });
  return [head, ...sections].join('\n');
}

function renderProblem({ path, message, suggestion }: ConfigProblem): string[] {
  const line = `  ${path}: ${message}`;
  return suggestion === undefined ? [line] : [line, `    -> ${suggestion}`];
}
