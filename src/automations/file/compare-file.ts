import { stringify } from 'yaml';
import type { Automation } from '../automation.ts';
import { entryOf, type FileEntry, placeOf } from './file-entry.ts';

/** Changes that make the automations as a file describes them. */
export type FileChanges = {
  created: FileEntry[];
  changed: { automation: Automation; entry: FileEntry; differences: string[] }[];
  unchanged: number;
  /** Automations that the file doesn't name. They stay as they are. */
  others: Automation[];
};

export function compareWithFile(
  entries: readonly FileEntry[],
  stored: readonly Automation[],
): FileChanges {
  const left = new Map(stored.map((automation) => [placeOf(entryOf(automation)), automation]));
  const changes: FileChanges = { created: [], changed: [], unchanged: 0, others: [] };
  for (const entry of entries) {
    const automation = left.get(placeOf(entry));
    left.delete(placeOf(entry));
    if (!automation) {
      changes.created.push(entry);
      continue;
    }
    const differences = differencesOf(entryOf(automation), entry);
    if (differences.length > 0) changes.changed.push({ automation, entry, differences });
    else changes.unchanged += 1;
  }
  changes.others.push(...left.values());
  return changes;
}

/** Returns the text of a file with these automations. Empty values are left out. */
export function writeAutomationsFile(stored: readonly Automation[]): string {
  const automations = stored.map((automation) => {
    const entry = entryOf(automation);
    return withoutEmpty({
      ...entry,
      trigger: withoutEmpty(entry.trigger),
      paused: entry.paused || undefined,
    });
  });
  return stringify({ automations }, { lineWidth: 0 });
}

/** Returns the changes in words. */
export function describeChanges({ created, changed, unchanged, others }: FileChanges): string[] {
  return [
    ...created.flatMap((entry) => [
      `create ${label(entry)}`,
      ...valuesOf({ ...entry, paused: entry.paused ?? false }).map(
        ([field, value]) => `  ${field}: ${value}`,
      ),
    ]),
    ...changed.flatMap(({ entry, differences }) => [
      `change ${label(entry)}`,
      ...differences.map((difference) => `  ${difference}`),
    ]),
    ...others.map((automation) => `leave  ${label(entryOf(automation))}, which isn't in the file`),
    `${created.length} to create, ${changed.length} to change, ${unchanged} unchanged`,
  ];
}

export const label = ({ name, channel, workspace }: FileEntry): string =>
  `${JSON.stringify(name)} in ${channel} of ${workspace}`;

const none = '(none)';

function differencesOf(before: FileEntry, after: FileEntry): string[] {
  const was = new Map(valuesOf(before));
  const will = new Map(valuesOf({ ...after, paused: after.paused ?? before.paused }));
  return [...new Set([...was.keys(), ...will.keys()])].flatMap((field) => {
    const [one, other] = [was.get(field), will.get(field)];
    return one === other ? [] : [`${field}: ${one ?? none} → ${other ?? none}`];
  });
}

/** Returns the values of an entry by field, such as `trigger.cron`. Empty ones are left out. */
function valuesOf({ workspace: _w, channel: _c, name: _n, ...entry }: FileEntry) {
  return Object.entries(entry).flatMap(([field, value]): [string, string][] => {
    if (isEmpty(value)) return [];
    if (typeof value !== 'object' || value === null) return [[field, JSON.stringify(value)]];
    return Object.entries(value)
      .filter(([, member]) => !isEmpty(member))
      .map(([member, of]) => [`${field}.${member}`, JSON.stringify(of)]);
  });
}

const withoutEmpty = (value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => !isEmpty(member)));

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);
