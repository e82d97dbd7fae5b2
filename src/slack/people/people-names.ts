import type { KnownNames } from '../text/typed-text.ts';
import type { People } from './people.ts';

/** Names by user id. Ids that Slack doesn't name are missing. */
export type ReadNames = (userIds: readonly string[]) => Promise<KnownNames>;

export function createNameReader(people: Pick<People, 'look'>): ReadNames {
  return async (userIds) => {
    const found = await people.look(userIds);
    return new Map([...found].map(([id, { name }]) => [id, name]));
  };
}
