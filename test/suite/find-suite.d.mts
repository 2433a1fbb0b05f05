/** The official suite and a Node that runs it, or what is missing. */
export type Suite =
  | { readonly node: string; readonly program: string; readonly requirements: string }
  | { readonly missing: string };

export function findSuite(): Suite;
export function installNode(): void;
