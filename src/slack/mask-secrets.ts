/** Finds what looks like a key or a password in texts from Slack, so that it is not sent to an agent by accident. */

/** The first group, where there is one, is the secret itself; the rest of the match stays readable. */
const patterns: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|$)/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{8,}/g,
  /\bxapp-\d-[A-Za-z0-9-]{8,}/g,
  /\bhttps:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]+/g,
  /\b(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g,
  /\bglpat-[A-Za-z0-9_-]{15,}/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\bauthorization["']?\s*[:=]\s*["']?((?:(?:basic|bearer|token|digest)\s+)?[^\s"']{6,})/gi,
  /\bbearer\s+([A-Za-z0-9._~+/=-]{16,})/gi,
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{1,100}:([^\s/@]{3,200})@/gi,
  /\b[A-Za-z0-9_-]{0,40}(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token)["']?\s*[:=]\s*["']?([^\s"',;]{6,})/gi,
];

export type Masked = {
  text: string;
  /** What stood there, by the mask that stands there now; equal secrets have one mask. */
  secrets: Record<string, string>;
};

type Found = { start: number; end: number };

/** @param numbered how many masks the same form has already, so that each mask is one secret */
export function maskSecrets(text: string, numbered = 0): Masked {
  const masks = new Map<string, string>();
  let masked = '';
  let index = 0;
  for (const { start, end } of merge(patterns.flatMap((pattern) => findAll(text, pattern)))) {
    const secret = text.slice(start, end);
    const mask = masks.get(secret) ?? `[masked secret ${numbered + masks.size + 1}]`;
    masks.set(secret, mask);
    masked += text.slice(index, start) + mask;
    index = end;
  }
  const secrets = Object.fromEntries([...masks].map(([secret, mask]) => [mask, secret]));
  return { text: masked + text.slice(index), secrets };
}

function findAll(text: string, pattern: RegExp): Found[] {
  return [...text.matchAll(pattern)].map((match) => {
    const secret = match[1]?.trim() && !match[0].startsWith('-----') ? match[1] : match[0];
    const start = match.index + match[0].indexOf(secret);
    return { start, end: start + secret.length };
  });
}

/** Overlapping finds become one. */
function merge(found: Found[]): Found[] {
  const merged: Found[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && next.start < last.end) last.end = Math.max(last.end, next.end);
    else merged.push({ ...next });
  }
  return merged;
}
