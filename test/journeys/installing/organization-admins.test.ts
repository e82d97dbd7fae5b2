import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../packages/runs-service/test/support/runs-service.ts';
import { textOf } from '../../support/product/product.ts';
import {
  first,
  type Place,
  second,
  startTwoWorkspaces,
} from '../../support/product/two-workspaces.ts';

/** Starts two workspaces of an organization. `isAdmin` returns true if a person can use admin commands in one. */
async function startWith(policy?: object) {
  const file = join(temporaryFolder(), 'policy.yml');
  if (policy) writeFileSync(file, JSON.stringify(policy));
  const product = await startTwoWorkspaces(policy ? { policyFile: file } : {});
  const { workspace } = product;
  async function isAdmin(userId: string, { teamId, channelId }: Place): Promise<boolean> {
    const person = workspace.as(userId, teamId);
    const before = person.sees(channelId).length;
    await person.types(channelId, '/agent audit');
    const answer = await workspace.until(() => {
      const seen = person.sees(channelId);
      return seen.length > before ? textOf(seen.at(-1)) : undefined;
    });
    return !answer.includes('🔒 Only workspace admins can');
  }
  return { ...product, isAdmin };
}

it('with the token of an organization, its admins are admins and those of a workspace are not', async () => {
  const { workspace, person, isAdmin } = await startWith();
  workspace.as(person.id).person.isOrgAdmin = true;
  expect(await isAdmin(first.admin, first)).toBe(false);
  expect(await isAdmin(second.admin, second)).toBe(false);
  expect(await isAdmin(person.id, first)).toBe(true);
  expect(await isAdmin(person.id, second)).toBe(true);
});

it('the policy file names admins, in the workspaces that it says, by person and by group', async () => {
  const leads = { id: 'S06LEADS01', handle: 'leads', name: 'Leads' };
  const admins = { groups: [leads.id, 'S06GONE001'] };
  const { workspace, person, isAdmin } = await startWith({
    admins: { people: [first.admin] },
    workspaces: { [second.teamId]: { admins } },
  });
  workspace.userGroups.push({ ...leads, teamId: second.teamId, memberIds: [person.id] });
  expect(await isAdmin(first.admin, first)).toBe(true);
  expect(await isAdmin(person.id, second)).toBe(true);
  expect(await isAdmin(person.id, first)).toBe(false);
  expect(await isAdmin(second.admin, second)).toBe(false);
});
