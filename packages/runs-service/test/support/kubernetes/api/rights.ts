import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export type Rights = { apiGroups: string[]; resources: string[]; verbs: string[] }[];

/** Reads the rules of the Role in a file with manifests. */
export function readRights(file: string): Rights {
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((each) => each.toJS());
  const role = documents.find((each: { kind: string }) => each.kind === 'Role');
  return (role as { rules: Rights }).rules;
}

export const isAllowed = (
  rights: Rights | undefined,
  { group, resource, verb }: { group: string; resource: string; verb: string },
): boolean =>
  rights === undefined ||
  rights.some(
    ({ apiGroups, resources, verbs }) =>
      apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
  );
