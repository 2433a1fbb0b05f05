import { type Html, html } from '../../base/lib/html.js';
import type { Frame } from './frame.js';

/** Some of many. */
export interface Cut<T> {
  readonly items: readonly T[];
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

/** The part of a list that a page shows. @param query whose `page` counts from 1 */
export function cutPage<T>(all: readonly T[], query: URLSearchParams, size: number): Cut<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const asked = Number(query.get('page') ?? 1);
  const page = Number.isSafeInteger(asked) ? Math.min(pages, Math.max(1, asked)) : 1;
  return { items: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

/** The way to the pages before and behind; nothing where one shows all. @param query of this page */
export function pager(frame: Frame, path: string, query: URLSearchParams, { page, pages, total }: Cut<unknown>): Html {
  if (pages === 1) return html``;
  const link = (to: number, text: string): Html => {
    if (to < 1 || to > pages) return html`<span>${text}</span>`;
    return html`<a href="${frame.to(`${path}?${withMember(query, 'page', String(to))}`)}">${text}</a>`;
  };
  return html`<nav class="panel-foot" aria-label="Pages">${link(page - 1, 'Before')} <span>Page ${page} of ${pages}, ${total} in all</span> ${link(page + 1, 'Next')}</nav>`;
}

/** A query with another value of one member. */
function withMember(query: URLSearchParams, name: string, value: string): string {
  const next = new URLSearchParams(query);
  next.set(name, value);
  return next.toString();
}

/** Numbers objects as they are met, for the pulse of a page: a number is small, and another one for another object. */
export class Revisions {
  readonly #numbers = new WeakMap<object, number>();
  #last = 0;

  numberOf(object: object): number {
    const known = this.#numbers.get(object);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(object, this.#last);
    return this.#last;
  }
}
