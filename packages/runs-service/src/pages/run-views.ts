import { html } from 'hono/html';
import type { Markup } from './page.ts';

export const stateNames = {
  QUEUED: 'Queued',
  INPROGRESS: 'In progress',
  BLOCKED: 'Needs input',
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  CANCELLED: 'Canceled',
} as const;

export const stateName = (state: string): string =>
  Object.hasOwn(stateNames, state) ? stateNames[state as keyof typeof stateNames] : state;

export const stateMark = (state: string): Markup =>
  html`<p class="state state-${state.toLowerCase()}"><span class="dot"></span>${stateName(state)}</p>`;

/** Renders a time in UTC. The page's script turns it into local time. */
export const timeView = (iso: string): Markup =>
  html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;

/**
 * Formats a duration for people.
 * @param iso duration in ISO 8601 with seconds only, as `presentRun` writes it
 */
export function runDuration(iso: string): string {
  const seconds = Math.round(Number(iso.slice(2, -1)));
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes > 0) return `${minutes}m ${rest}s`;
  return seconds === 0 ? 'less than 1s' : `${seconds}s`;
}
