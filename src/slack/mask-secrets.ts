/** Finds what looks like a key or a password in texts from Slack, so that it is not sent to an agent by accident. */

/** Keys that are known by how they begin, and whose. */
const keyFormats: readonly RegExp[] = [
  // Slack
  /\bxox[abeoprs]-[A-Za-z0-9-]{8,}/g,
  /\bxoxe\.xox[a-z]-[A-Za-z0-9-]{8,}/g,
  /\b(?:xapp|xwfp)-\d?-?[A-Za-z0-9-]{8,}/g,
  /\bhttps:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]+/g,
  // GitHub, GitLab
  /\b(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g,
  /\bgl(?:pat|dt|rt|ptt|soat|cbt|ft|agent|imt|oas)-[A-Za-z0-9_-]{15,}/g,
  // AWS, Google, Azure
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\bGOCSPX-[A-Za-z0-9_-]{20,}/g,
  /\bAccountKey=([A-Za-z0-9+/=]{40,})/g,
  /[?&]sig=([A-Za-z0-9%+/=_-]{20,})/g,
  // Stripe, Twilio, SendGrid, Shopify, Square
  /\b[prs]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bwhsec_[A-Za-z0-9+/=]{20,}/g,
  /\bSK[0-9a-f]{32}\b/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}/g,
  /\bsq0(?:atp|csp)-[A-Za-z0-9_-]{20,}/g,
  // Language models
  /\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  // Registries of packages, hosting, tools
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[A-Za-z0-9_-]{30,}/g,
  /\brubygems_[a-f0-9]{40,}/g,
  /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/g,
  /\bdo[opr]_v1_[a-f0-9]{40,}/g,
  /\bdapi[a-f0-9]{32}\b/g,
  /\bhv[sbr]\.[A-Za-z0-9_-]{20,}/g,
  /\bATATT3[A-Za-z0-9_=-]{30,}/g,
  /\blin_api_[A-Za-z0-9]{30,}/g,
  /\bglsa_[A-Za-z0-9]{20,}_[a-f0-9]{8}/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{50,}/g,
  /\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b/g,
];

/** What stands where a secret stands. The first group is the secret itself; the rest stays readable. */
const places: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|$)/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?((?:(?:basic|bearer|token|digest|apikey)\s+)?[^\s"']{6,})/gi,
  /\b(?:set-)?cookie:\s*([^\r\n"']{6,})/gi,
  /\bbearer\s+([A-Za-z0-9._~+/=-]{16,})/gi,
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,100}:([^\s/@]{3,200})@/gi,
  /\b[A-Za-z0-9_-]{0,40}(?:password|passwd|passphrase|secret|(?:api|access|private|secret|signing|encryption|account)[_-]?key|(?:auth|access|refresh|session|id|bot|api|deploy)[_-]?token)["']?\s*[:=]\s*["']?([^\s"',;]{6,})/gi,
  /\btoken["']?\s*[:=]\s*["']?([A-Za-z0-9._~+/=-]{16,})/gi,
];

const patterns = [...keyFormats, ...places];

export type Masked = {
  text: string;
  /** What stood there, by the mask that stands there now; equal secrets have one mask. */
  secrets: Record<string, string>;
};

/** A sentence after others; empty when nothing is masked. */
export const maskedNotice = (masked: number) =>
  masked > 0
    ? ` ${masked} ${masked === 1 ? 'part looks like a secret and is' : 'parts look like secrets and are'} masked.`
    : '';

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
