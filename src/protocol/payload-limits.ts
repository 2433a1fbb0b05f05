/** The payload limits of specification 4.7.5; bytes, elements and levels. */
export interface PayloadLimits {
  readonly maxRequestSize: number;
  readonly maxResponseSize: number;
  readonly maxStringLength: number;
  readonly maxArrayElements: number;
  readonly maxNestingDepth: number;
}
