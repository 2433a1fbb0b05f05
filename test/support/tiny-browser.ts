import { runInNewContext } from 'node:vm';

type Listener = (event: { preventDefault(): void }) => unknown;

/** The parts of an element that the approvals page uses. It cannot take markup, only text and children. */
export class TinyElement {
  readonly tag: string;
  readonly children: TinyElement[] = [];
  readonly attributes = new Map<string, string>();
  value = '';
  hidden = false;
  disabled = false;
  #text = '';
  readonly #listeners = new Map<string, Listener>();
  readonly #onText: () => void;

  constructor(tag: string, onText = (): void => undefined) {
    this.tag = tag;
    this.#onText = onText;
  }

  get textContent(): string {
    return this.#text;
  }

  set textContent(text: string) {
    this.#text = text;
    this.#onText();
  }

  /** All descendants, in order. */
  get all(): readonly TinyElement[] {
    return this.children.flatMap((child) => [child, ...child.all]);
  }

  append(...children: TinyElement[]): void {
    this.children.push(...children);
  }

  replaceChildren(...children: TinyElement[]): void {
    this.children.splice(0, this.children.length, ...children);
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  /** Whether the page has moved the focus here. */
  focused = false;

  focus(): void {
    this.focused = true;
  }

  /** Triggers an event as a person would, and waits for the listener. */
  async trigger(type: 'click' | 'submit'): Promise<void> {
    await this.#listeners.get(type)?.({ preventDefault: () => undefined });
  }
}

export interface TinyBrowser {
  /** The element of the document with this id. */
  byId(id: string): TinyElement;
  /** Resolves with the next message of the page. */
  nextMessage(): Promise<string>;
}

/** Runs the only script of a page, with the elements that have an id in the document, against a real server. */
export async function openPage(url: string, storage: Map<string, string>): Promise<TinyBrowser> {
  const html = await (await fetch(url)).text();
  const source = new URL(/<script src="([^"]+)"/.exec(html)?.[1] ?? '', url).href;
  const script = await (await fetch(source)).text();
  let tell = (_text: string): void => undefined;
  const elements = new Map(
    [...html.matchAll(/<(\w+)[^>]* id="([\w-]+)"/g)].map(([, tag = '', id = '']) => {
      const element = new TinyElement(tag, () => {
        if (id === 'message') tell(element.textContent);
      });
      return [id, element];
    }),
  );
  const byId = (id: string): TinyElement => {
    const element = elements.get(id);
    if (element === undefined) throw new Error(`the document has no element '${id}'`);
    return element;
  };
  runInNewContext(script, {
    URL,
    fetch,
    location: new URL(url),
    document: {
      currentScript: { src: source },
      getElementById: byId,
      createElement: (tag: string) => new TinyElement(tag),
    },
    sessionStorage: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => void storage.set(key, value),
      removeItem: (key: string) => void storage.delete(key),
    },
  });
  return {
    byId,
    nextMessage: () =>
      new Promise((resolve) => {
        tell = resolve;
      }),
  };
}
