import { hasSharedData, readSharedJson } from '../support/shared-data.ts';

const folder = 'slack/payloads';
const index = hasSharedData
  ? (readSharedJson(`${folder}/INDEX.json`) as { kind: string; file: string }[])
  : [];

/** Reads real payloads of matching kinds, from the tests of Slack's SDKs. */
export function readSamples(kind: RegExp): unknown[] {
  const files = index.filter((entry) => kind.test(entry.kind)).map(({ file }) => file);
  return files.map((file) => readSharedJson(`${folder}/${file}`));
}

/** Parts of a payload whose keys aren't compared, because they depend on an app or a person. */
const open =
  /\/(blocks|attachments|values|payload|title|submit|close|inputs|message|previous_message|root|actions)\//;

/** Lists the keys of a payload as paths such as `/user/id`; `*` stands for any item of a list. */
function listKeys(value: unknown, path = ''): Set<string> {
  if (Array.isArray(value)) {
    return new Set(value.flatMap((item) => [...listKeys(item, `${path}/*`)]));
  }
  if (typeof value !== 'object' || value === null || open.test(`${path}/`)) return new Set();
  return new Set([
    // Include the object's own path, so that `null` in its place differs.
    `${path}/`,
    ...Object.entries(value).flatMap(([key, item]) => [
      `${path}/${key}`,
      ...listKeys(item, `${path}/${key}`),
    ]),
  ]);
}

const objectOf = (key: string) => key.replace(/[^/]*$/, '');

/**
 * Compares the stand-in's payload with samples. Missing keys are in all samples; invented ones are in no sample or
 * documentation.
 */
export function compareKeys(ours: unknown, samples: unknown[], documented: readonly string[] = []) {
  const keys = listKeys(ours);
  const known = samples.map((sample) => listKeys(sample));
  const all = new Set(known.flatMap((each) => [...each]));
  const isShared = (key: string) =>
    known.every((each) => each.has(key) || !each.has(objectOf(key))) && keys.has(objectOf(key));
  const isKey = (key: string) => !key.endsWith('/');
  return {
    missing: [...all].filter((key) => isKey(key) && isShared(key) && !keys.has(key)),
    invented: [...keys].filter((key) => isKey(key) && !all.has(key) && !documented.includes(key)),
  };
}

/** Finds all messages in a payload, at any depth, by type `message` and a `ts`. */
export function findMessages(value: unknown): object[] {
  if (Array.isArray(value)) return value.flatMap(findMessages);
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(findMessages);
  const isMessage = 'ts' in value && 'type' in value && value.type === 'message';
  return isMessage ? [value, ...inside] : inside;
}
