import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { ServiceKeys } from '../../store/service/service-keys.ts';
import { keyHash } from './keyring.ts';

const usage = `Usage:
  keys add <name> [--display-name <text>] [--service]   makes a key and shows it once
  keys list                                             shows whose keys there are
  keys revoke <beginning of the key, as list shows it>  takes effect at once`;

const prefixCharacters = 12;

/**
 * `npm run runs-service -- keys …`: keys of the runs service that are kept in its database, hashed.
 * @throws ExplainedError when the arguments are not right
 */
export async function runKeysCommand(
  keys: ServiceKeys,
  args: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const { positionals, values } = parse(args);
  const [verb, subject, ...others] = positionals;
  if (others.length > 0) throw new ExplainedError(usage);
  if (verb === 'list' && subject === undefined) return list(keys, say);
  if (subject === undefined) throw new ExplainedError(usage);
  if (verb === 'add') {
    const type = values.service ? 'service_account' : 'user';
    const displayName = values['display-name'] ?? subject;
    return add(keys, { type, uid: subject, displayName }, say);
  }
  if (verb !== 'revoke') throw new ExplainedError(usage);
  if ((await keys.revoke(subject)) === 0)
    throw new ExplainedError(`No valid key begins with "${subject}". See: keys list`);
  say(`Revoked ${subject}…`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'display-name': { type: 'string' }, service: { type: 'boolean' } },
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new ExplainedError(`${why}\n${usage}`);
  }
}

async function add(
  keys: ServiceKeys,
  owner: { type: string; uid: string; displayName: string },
  say: (line: string) => void,
): Promise<void> {
  if (!/^[A-Za-z0-9._@-]{1,100}$/.test(owner.uid))
    throw new ExplainedError('The name may have letters, digits and . _ @ - only.');
  const key = `sar_${randomBytes(30).toString('base64url')}`;
  await keys.add({
    key_hash: keyHash(key),
    prefix: key.slice(0, prefixCharacters),
    creator_type: owner.type,
    creator_uid: owner.uid,
    display_name: owner.displayName,
  });
  say(key);
  say('This is the only time that the key is shown.');
}

async function list(keys: ServiceKeys, say: (line: string) => void): Promise<void> {
  const rows = await keys.list();
  if (rows.length === 0) say('There are no keys yet: keys add <name>');
  for (const row of rows) {
    const made = new Date(row.created_at).toISOString().slice(0, 10);
    const state = row.revoked_at === null ? 'valid' : 'revoked';
    say(
      `${row.prefix}…  ${state}  ${made}  ${row.creator_type} ${row.creator_uid} (${row.display_name})`,
    );
  }
}
