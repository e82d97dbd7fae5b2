/** Masks secrets in JSON. Its strings are masked without their escapes, which could hide a secret. */
import { setImmediate } from 'node:timers/promises';
import { parseJson } from '../parse-json.ts';
import { maskText } from './mask-file.ts';
import { isSecretName, leastLength, type SecretMask } from './mask-secrets.ts';

/** Characters to mask without a pause, so that other work can run in between. */
const pieceLength = 8 * 1024;

/**
 * Masks the secrets in valid JSON, also in JSON that is in a string. Everything else stays as it's written, such as
 * numbers that a program would round.
 */
export async function maskJson(json: string, mask: SecretMask): Promise<string> {
  const names = new Map<string, boolean>();
  const isSecret = (name: string) => {
    const known = names.get(name) ?? isSecretName(name);
    names.set(name, known);
    return known;
  };
  const token = /["{}\]]|-?\d[\d.eE+-]*/g;
  let masked = '';
  let writtenTo = 0;
  let pausedAt = 0;
  let name: string | undefined;
  for (let found = token.exec(json); found; found = token.exec(json)) {
    const { index: start } = found;
    let [written] = found;
    if (written === '{' || written === '}' || written === ']') {
      name = undefined;
      continue;
    }
    const isString = written === '"';
    if (isString) written = json.slice(start, endOfString(json, start));
    const end = start + written.length;
    token.lastIndex = end;
    const value: string = isString ? JSON.parse(written) : written;
    const isName = isString && isFollowedByColon(json, end);
    const isLong = value.length >= leastLength;
    const isWhole = isLong && !isName && name !== undefined && isSecret(name);
    let shown = value;
    if (isWhole) shown = mask.whole(value);
    else if (isLong && isString) shown = await maskString(value, mask);
    if (isName) name = value;
    if (shown !== value) {
      masked += json.slice(writtenTo, start) + JSON.stringify(shown);
      writtenTo = end;
    }
    if (end - pausedAt < pieceLength) continue;
    pausedAt = end;
    await setImmediate();
  }
  return masked + json.slice(writtenTo);
}

async function maskString(text: string, mask: SecretMask): Promise<string> {
  // Each level needs twice as many backslashes, so there are few of them.
  const isJson = /^\s*[[{]/.test(text) && parseJson(text) !== undefined;
  return isJson ? maskJson(text, mask) : maskText(text, mask);
}

/** Returns the index after the string that starts here. */
function endOfString(json: string, start: number): number {
  const stop = /["\\]/g;
  stop.lastIndex = start + 1;
  for (let found = stop.exec(json); found; found = stop.exec(json)) {
    if (found[0] === '"') return stop.lastIndex;
    stop.lastIndex += 1;
  }
  return json.length;
}

function isFollowedByColon(json: string, from: number): boolean {
  const next = /\s*:/y;
  next.lastIndex = from;
  return next.test(json);
}
