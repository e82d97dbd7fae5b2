import { isDeepStrictEqual, parseEnv } from 'node:util';
import type { Environment } from 'base/config/environment';
import { ExplainedError } from 'base/explained-error';

/** New values by name. Undefined removes a setting. */
export type SettingChanges = Record<string, string | undefined>;

/**
 * Returns the text of a `.env` file with these changes. Keeps comments, the order and other settings. A removed setting
 * becomes a comment.
 * @throws ExplainedError if that would change another setting
 */
export function withSettings(given: string, changes: SettingChanges): string {
  // End the last line, because Node would read a comment without a line end as a setting.
  const text = given === '' || given.endsWith('\n') ? given : `${given}\n`;
  const wanted = Object.entries({ ...parseEnv(text), ...changes });
  const changed = Object.entries(changes).reduce(
    (current, [name, value]) => withSetting(current, name, value),
    text,
  );
  const kept = wanted.filter(([, value]) => value !== undefined);
  if (isDeepStrictEqual({ ...parseEnv(changed) }, Object.fromEntries(kept))) return changed;
  const names = Object.keys(changes).join(', ');
  throw new ExplainedError(
    `Can't change .env without changing other lines. Set these by hand: ${names}`,
  );
}

/** Returns the changes that set a secret. Removes its `_FILE` setting, because a secret has one source. */
export function replacing(known: Environment, name: string, value: string): SettingChanges {
  if (known[name] === value) return {};
  return { [name]: value, ...(known[`${name}_FILE`] && { [`${name}_FILE`]: undefined }) };
}

function withSetting(text: string, name: string, value: string | undefined): string {
  const lines = text.split('\n');
  const isSet = (line: string) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`).test(line);
  if (value === undefined)
    return lines.map((line) => (isSet(line) ? `# ${line.trim()}` : line)).join('\n');
  const assignment = `${name}=${quoted(value)}`;
  // Change the last assignment, because Node uses that one.
  const at = lines.findLastIndex(isSet);
  const commentAt = lines.findIndex((line) => line.startsWith(`#${name}=`));
  if (at >= 0) lines[at] = assignment;
  else if (commentAt >= 0) lines.splice(commentAt + 1, 0, assignment);
  else lines.splice(-1, 0, assignment);
  return lines.join('\n');
}

function quoted(value: string): string {
  if (/^[\w./:@%+,=?&-]+$/.test(value)) return value;
  const quote = [`'`, `"`, '`'].find((each) => !value.includes(each)) ?? '';
  return `${quote}${value}${quote}`;
}
