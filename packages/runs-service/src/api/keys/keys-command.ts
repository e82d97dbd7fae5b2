import { randomBytes } from 'node:crypto';
import { ExplainedError } from 'base/explained-error';
import { readArguments } from 'base/process/read-arguments';
import type { KeyStore } from '../../store/key-store.ts';
import { type KeyRole, keyHash, keyPrefix, keyRoles } from './keyring.ts';

export const usage = `Usage:
  slash-agent runs-service keys add <name> [options]   create a key and print it once
    --role own|all|read   own (default): starts runs and sees these; all: acts on everyone's runs;
                          read: sees everyone's runs, changes none
    --service             for a program, not a person
    --display-name <text>
  slash-agent runs-service keys list                   list all keys and their owners
  slash-agent runs-service keys revoke <start of key>  revoke a key at once`;

/**
 * Runs the command `slash-agent runs-service keys`.
 * @throws ExplainedError that says how to use it
 */
export async function runKeysCommand(
  keys: KeyStore,
  args: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const { positionals, values } = readArguments(args, usage, {
    'display-name': { type: 'string' },
    service: { type: 'boolean' },
    role: { type: 'string', default: 'own' },
  });
  const [verb, subject, ...others] = positionals;
  if (others.length > 0) throw new ExplainedError(usage);
  if (verb === 'list' && subject === undefined) return list(keys, print);
  if (subject === undefined) throw new ExplainedError(usage);
  if (verb === 'add') {
    const type = values.service ? 'service_account' : 'user';
    const displayName = values['display-name'] ?? subject;
    const role = keyRoles.find((each) => each === values.role);
    if (!role) throw new ExplainedError(usage);
    return add(keys, { type, uid: subject, displayName, role }, print);
  }
  if (verb !== 'revoke') throw new ExplainedError(usage);
  if ((await keys.revoke(subject)) === 0)
    throw new ExplainedError(`No valid key starts with "${subject}". To find it: keys list`);
  print(`Revoked ${subject}…`);
}

async function add(
  keys: KeyStore,
  owner: { type: string; uid: string; displayName: string; role: KeyRole },
  print: (line: string) => void,
): Promise<void> {
  if (!/^[A-Za-z0-9._@-]{1,100}$/.test(owner.uid))
    throw new ExplainedError(
      "This name can't be used. It can contain up to 100 letters, digits and . _ @ -",
    );
  const key = `sar_${randomBytes(30).toString('base64url')}`;
  await keys.add({
    key_hash: keyHash(key),
    prefix: keyPrefix(key),
    creator_type: owner.type,
    creator_uid: owner.uid,
    display_name: owner.displayName,
    role: owner.role,
  });
  print(key);
  print("Save this key now. It can't be shown again.");
}

async function list(keys: KeyStore, print: (line: string) => void): Promise<void> {
  const rows = await keys.list();
  if (rows.length === 0) print('No keys yet. To create one: keys add <name>');
  for (const row of rows) {
    const made = new Date(row.created_at).toISOString().slice(0, 10);
    const state = row.revoked_at === null ? 'valid' : 'revoked';
    print(
      `${row.prefix}…  ${state}  ${made}  ${row.role}  ${row.creator_type} ${row.creator_uid} (${row.display_name})`,
    );
  }
}
