import type { Person } from '../world/world.ts';

/** The URL of a person's picture; Slack has one per size. */
export const pictureUrl = (baseUrl: string, personId: string, size: 24 | 48 | 72): string =>
  new URL(`/avatars/${personId}-${size}.svg`, baseUrl).href;

/** White on these is readable. */
const colors = ['#1f6b5c', '#6b3fa0', '#8a4b12', '#1d4f91', '#9c2f4f', '#4d5d1a', '#355070'];

/** Initials on a color derived from the id. */
export function drawPicture({ id, realName }: Pick<Person, 'id' | 'realName'>): string {
  const sum = [...id].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  const letters = realName.split(/[\s-]+/).map((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? '');
  const initials = letters.slice(0, 2).join('').toUpperCase();
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 72">
<rect width="72" height="72" fill="${colors[sum % colors.length]}"/>
<text x="36" y="47" fill="#fff" font-family="sans-serif" font-size="30" text-anchor="middle">${initials}</text>
</svg>`;
}
