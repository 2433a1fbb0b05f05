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
