import { FEATURES, scoreOf } from '../../src/classify/confidence.js';

/** A decision of a labelled tool, and whether it is right. */
export interface Example {
  readonly server: string;
  /** What `readFeatures` gives for it. */
  readonly features: readonly number[];
  readonly right: boolean;
  /** How much it counts. */
  readonly weight: number;
}

/** How strongly weights are kept near zero; without it, what a few tools have in common would decide. */
const RIDGE = 4;
const ROUNDS = 8;
/** On servers that nobody has worked on, mistakes are so many times as frequent as on those that the rules were written for. */
const MISTAKE = 2;
const DIGITS = 1000;

/** Learns the weights of the features by regularised logistic regression (Newton's method): the same examples give the same weights. */
export function learnWeights(examples: readonly Example[]): readonly number[] {
  const rows = examples.map(({ features, right, weight }) => ({
    x: features.flatMap((value, i) => (value === 0 ? [] : [{ value, i }])),
    y: Number(right),
    n: weight * (right ? 1 : MISTAKE),
  }));
  let weights = FEATURES.map(() => 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const gradient = weights.map((weight, i) => -penalty(i) * weight);
    const curvature = weights.map((_, i) => weights.map((__, j) => (i === j ? penalty(i) : 0)));
    for (const { x, y, n } of rows) {
      const p = 1 / (1 + Math.exp(-x.reduce((sum, { value, i }) => sum + value * (weights[i] ?? 0), 0)));
      for (const { value, i } of x) {
        gradient[i] = (gradient[i] ?? 0) + n * value * (y - p);
        const line = curvature[i] ?? [];
        for (const other of x) line[other.i] = (line[other.i] ?? 0) + n * value * other.value * p * (1 - p);
      }
    }
    const step = solve(curvature, gradient);
    weights = weights.map((weight, i) => weight + (step[i] ?? 0));
  }
  return weights.map((weight) => Math.round(weight * DIGITS) / DIGITS);
}

/** How log odds are to be read, by logistic regression over the score alone: two numbers from many decisions, so that nothing holds them back. */
export function learnCalibration(
  examples: readonly Example[],
  weights: readonly number[],
): { readonly offset: number; readonly slope: number } {
  const rows = examples.map(({ features, right }) => ({ x: scoreOf(features, weights), y: Number(right) }));
  let [offset, slope] = [0, 1];
  for (let round = 0; round < 4 * ROUNDS; round += 1) {
    const gradient = [0, 0];
    const curvature = [
      [1e-6, 0],
      [0, 1e-6],
    ];
    for (const { x, y } of rows) {
      const p = 1 / (1 + Math.exp(-(offset + slope * x)));
      [1, x].forEach((one, i) => {
        gradient[i] = (gradient[i] ?? 0) + one * (y - p);
        const line = curvature[i] ?? [];
        [1, x].forEach((other, j) => {
          line[j] = (line[j] ?? 0) + one * other * p * (1 - p);
        });
      });
    }
    const [first = 0, second = 0] = solve(curvature, gradient);
    offset += first;
    slope += second;
  }
  const round = (value: number): number => Math.round(value * DIGITS) / DIGITS;
  return { offset: round(offset), slope: round(slope) };
}

/** The first feature is always on: its weight is not held back. */
const penalty = (index: number): number => (index === 0 ? 1e-3 : RIDGE);

/** Solves a linear system by elimination; the curvature is positive definite, so no rows are exchanged. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((line, i) => [...line, right[i] ?? 0]);
  rows.forEach((pivot, i) => {
    const diagonal = pivot[i] ?? 1;
    rows.forEach((row, k) => {
      if (k === i) return;
      const factor = (row[i] ?? 0) / diagonal;
      for (let j = i; j < row.length; j += 1) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0);
    });
  });
  return rows.map((row, i) => (row.at(-1) ?? 0) / (row[i] ?? 1));
}
