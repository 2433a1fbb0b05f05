export const MARK: string;
export function isBuilt(folder: string): boolean;
