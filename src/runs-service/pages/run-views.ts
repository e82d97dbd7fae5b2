import { html } from 'hono/html';
import type { Markup } from './markup.ts';

export const stateWords: Record<string, string> = {
  QUEUED: 'Queued',
  INPROGRESS: 'In progress',
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
};

export const stateMark = (state: string): Markup =>
  html`<p class="state state-${state.toLowerCase()}"><span class="dot"></span>${stateWords[state] ?? state}</p>`;

/** A moment; the page's script shows it in the reader's own zone. */
export const timeView = (iso: string): Markup =>
  html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;

/** From ISO 8601 in seconds, as this service writes it. */
export function runDuration(iso: string): string {
  const seconds = Number(iso.slice(2, -1));
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
