import { formatPath, type JsonPath } from '../../base/json/json-path.js';

/** Collects the faults of a configuration while it is read, so that the operator sees all of them at once. */
export interface ConfigReport {
  readonly problems: ConfigProblem[];
  readonly warnings: string[];
  /** The files of secrets that values come from, whether or not they could be read. */
  readonly secretFiles: Set<string>;
}

/** The origin of a value that does not come from the file. */
export interface Origin {
  readonly file: string;
  readonly path: string;
}

/** The diagnostics of one document, as a part of the report. */
export interface Diagnostics {
  /** The document's name in messages. */
  readonly source: string;
  problem(path: JsonPath, message: string, suggestion?: string): void;
  warning(path: JsonPath, message: string): void;
  /** A value comes from this file. @param file absolute */
  readFrom(file: string): void;
  /** Whether a problem was reported at this path or below; problems that follow from it need not be reported. */
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
  return { problems: [], warnings: [], secretFiles: new Set() };
}

/**
 * Opens the diagnostics of one document.
 * @param origins by formatted path: values from the environment or command line; their diagnostics name the variable or flag.
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
    readFrom: (file) => void report.secretFiles.add(file),
    has: (path) => noted.some((other) => path.every((step, index) => step === other[index])),
  };
}

/** Diagnostics that report nothing, for values that are not used, such as those of a disabled server. */
export function muteDiagnostics(diagnostics: Diagnostics): Diagnostics {
  return { ...diagnostics, problem: () => {}, warning: () => {}, readFrom: () => {} };
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
