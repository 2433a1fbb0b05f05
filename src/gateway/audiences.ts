import type { NativeListener, NativeListKind } from './native.js';

/** The listeners of the whole or of one view, and of which upstreams they hear. */
export interface Audience {
  /** Absent where it is the whole's. */
  readonly view?: string;
  readonly sees: (upstream: string) => boolean;
  readonly listeners: Set<NativeListener>;
}

/** Who hears of changes of resources and prompts: each hears of the upstreams that exist for it. */
export class Audiences {
  readonly #audiences: Audience[] = [];

  open(audience: Omit<Audience, 'listeners'>): Audience {
    const opened = { ...audience, listeners: new Set<NativeListener>() };
    this.#audiences.push(opened);
    return opened;
  }

  listChanged(kind: NativeListKind, upstream: string): void {
    for (const { sees, listeners } of this.#audiences) {
      if (sees(upstream)) for (const listener of listeners) listener.listChanged(kind);
    }
  }

  /** The configuration of these views has changed, and with it which upstreams they have. */
  viewsChanged(views: readonly string[]): void {
    for (const { view, listeners } of this.#audiences) {
      if (view === undefined || !views.includes(view)) continue;
      for (const listener of listeners) {
        listener.listChanged('resources');
        listener.listChanged('prompts');
      }
    }
  }

  /** Tells every listener what those that are concerned find in it. */
  tell(news: (listener: NativeListener) => void): void {
    for (const { listeners } of this.#audiences) for (const listener of listeners) news(listener);
  }
}
