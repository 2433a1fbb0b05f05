import { escapeInvisible } from './text.js';

/** What a template takes: markup as it is, and texts, which are escaped. */
export type Content = Html | string | number | undefined | readonly Content[];

let make: (markup: string) => Html;

/** Markup that holds foreign texts as texts alone: nothing but the templates below makes it. */
export class Html {
  static {
    make = (markup) => new Html(markup);
  }

  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/**
 * A template of markup. Texts in it cannot become markup, and characters in them that people do not see, which could reorder or hide
 * what a person reads, are spelled out. Attributes need quotes.
 */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return make(String.raw({ raw: parts }, ...contents.map(write)));
}

/** A value of a form that comes back as it is: what cannot be seen in it is not spelled out. */
export function exactly(value: string): Html {
  return make(escapeMarkup(value));
}

function write(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.toString();
  if (typeof content === 'object') return content.map(write).join('');
  return escapeMarkup(escapeInvisible(String(content)));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
