import { type Html, html } from '../../base/lib/html.js';

/** The picture beside each section's name, and those of buttons. */
const ICONS = {
  overview: html`<path d="M2.5 2.5h4.5v6.5H2.5zM9.5 2.5h4v3.5h-4zM9.5 8.5h4v5h-4zM2.5 11.5h4.5v2H2.5z"/>`,
  approvals: html`<path d="M2.5 2.5h11v11h-11zM5.2 8.2l2 2 3.8-4.4"/>`,
  agents: html`<path d="M3 6h10v7H3zM8 6V3M6.2 9v1M9.8 9v1"/><circle cx="8" cy="2.5" r=".5"/>`,
  executions: html`<circle cx="8" cy="8" r="5.75"/><path d="M6.8 5.6l3.8 2.4-3.8 2.4z"/>`,
  servers: html`<path d="M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01"/>`,
  catalogue: html`<path d="M2.5 4h.01M2.5 8h.01M2.5 12h.01M5.5 4h8M5.5 8h8M5.5 12h5"/>`,
  try: html`<path d="M2.5 4.5l3.5 3.5-3.5 3.5M8 12h5.5"/>`,
  figures: html`<path d="M2.5 2.5v11h11M5.2 10l2.8-3 2 1.8 3.5-4"/>`,
  sessions: html`<circle cx="6" cy="8" r="3.75"/><circle cx="10" cy="8" r="3.75"/>`,
  quotas: html`<path d="M2.3 11.5a5.75 5.75 0 1 1 11.4 0M8 11.5l2.6-4"/>`,
  integrity: html`<path d="M8 2l5 1.8v4c0 3-2.1 5-5 6.2-2.9-1.2-5-3.2-5-6.2v-4z"/>`,
  audit: html`<path d="M4 2.5v11M4 4.5h9M4 8h6.5M4 11.5h8"/>`,
  menu: html`<path d="M2 4h12M2 8h12M2 12h12"/>`,
} as const;

export type IconName = keyof typeof ICONS;

/** Written into each page: a reference to a file of shapes would need a wider content security policy. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${ICONS[name]}</svg>`;
}

export const MARK = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M2.5 5H6l6 7M2.5 12H12M2.5 19H6l6-7M16 12h5.5"/><path class="gate" d="M14.5 4v16"/></svg>`;

/** What something is: well, worth a look, broken or irreversible, out of use. Each has a shape, as not everybody sees colours. */
export type Tone = 'good' | 'warn' | 'bad' | 'off';

const SHAPES: Readonly<Record<Tone, Html>> = {
  good: html`<circle cx="6" cy="6" r="4"/>`,
  warn: html`<path d="M6 1l5.5 10H.5z"/>`,
  bad: html`<path d="M6 .3L11.7 6 6 11.7.3 6z"/>`,
  off: html`<path d="M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zm0 1.5a3 3 0 1 1 0 6 3 3 0 0 1 0-6z"/>`,
};

/** The shape alone: a word stands beside it. */
export function shape(tone: Tone, style = ''): Html {
  return html`<svg class="${style}" viewBox="0 0 12 12" aria-hidden="true">${SHAPES[tone]}</svg>`;
}
