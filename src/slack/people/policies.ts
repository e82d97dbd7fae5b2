/** Reads the policy of a workspace, and the facts that its rules need. */
import type { WebClient } from '@slack/web-api';
import { entryLimit } from 'base/entry-limit';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { LRUCache } from 'lru-cache';
import type { ConversationKind, Policy, Rule } from '../../policy/policy.ts';
import type { PolicyFile } from '../../policy/policy-file.ts';
import type { PolicyCase, PolicyFacts } from '../../policy/ruling.ts';
import { readStoredRules, ruleEntries, rulesInOrder, rulesKey } from '../../policy/stored-rules.ts';
import type { SettingOwner, Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { readConversationKind } from '../posting/channel-checks.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { ownerOf } from './setting.ts';
import type { UserGroups } from './user-groups.ts';

export type Policies = ReturnType<typeof createPolicies>;

/** Person and channel that a rule is applied to. */
export type PolicyPlace = {
  teamId: string;
  userId: string | undefined;
  channelId: string | undefined;
};

export const policyOwner = (teamId: string): SettingOwner => ownerOf('workspace', { teamId });

/** Key of the setting that holds the policy file's rules, as the audit log last recorded them. */
const fileKey = 'policy.file';

/** Rules to record if the policy file sets none. Always the same array, so that `noteFile` sees no change. */
const noRules: readonly Rule[] = [];

export function createPolicies(deps: {
  settings: Settings;
  /** Operator's policy file. Its rules replace those in settings. */
  file?: Pick<PolicyFile, 'rulesOf' | 'adminsOf' | 'problem'> | undefined;
  groups: Pick<UserGroups, 'isIn' | 'areVisible'>;
  client: Pick<WebClient, 'conversations'>;
}) {
  const { settings, file, groups, client } = deps;
  const kinds = new LRUCache<string, ConversationKind>({ ...entryLimit(10_000), ttl: 60_000 });

  async function readKind(channelId: string): Promise<ConversationKind | undefined> {
    const cached = kinds.get(channelId);
    if (cached) return cached;
    try {
      const kind = await readConversationKind(client, channelId);
      kinds.set(channelId, kind);
      return kind;
    } catch (error) {
      readSlackFailure(error);
      return undefined;
    }
  }

  let noted: readonly Rule[] | undefined;

  /**
   * Adds an audit entry if the policy file's rules have changed. Only the first replica that reads them does so.
   * @param rules the same array until the file changes
   */
  async function noteFile(teamId: string, rules: readonly Rule[]): Promise<void> {
    if (rules === noted) return;
    const owner = policyOwner(teamId);
    const before = (await settings.read(owner, fileKey)) ?? [];
    if (JSON.stringify(before) !== JSON.stringify(rules))
      await settings.change(owner, fileKey, 'system', (was) => ({
        value: rules,
        entries: ruleEntries(was, rules, 'POLICY_FILE'),
      }));
    noted = rules;
  }

  async function read(teamId: string): Promise<Policy & { isFromFile: boolean }> {
    const rules = file?.rulesOf(teamId);
    await noteFile(teamId, rules ?? noRules);
    if (rules) return { rules, ask: "the app's operator", isFromFile: true };
    const stored = readStoredRules(await settings.read(policyOwner(teamId), rulesKey));
    return { rules: rulesInOrder(stored), ask: 'a workspace admin', isFromFile: false };
  }

  async function readFacts(
    rules: readonly Rule[],
    { userId, channelId }: PolicyPlace,
    waitMs: number | undefined,
  ): Promise<PolicyFacts> {
    const inTime = <T>(answer: Promise<T>) => withSoftTimeout(answer, waitMs);
    const needsKind = channelId !== undefined && rules.some((rule) => rule.conversations);
    const groupIds = userId ? [...new Set(rules.flatMap((rule) => rule.groups ?? []))] : [];
    const [conversation, memberships] = await Promise.all([
      needsKind ? inTime(readKind(channelId)) : undefined,
      Promise.all(
        groupIds.map(async (id) => [id, await inTime(groups.isIn(id, userId ?? ''))] as const),
      ),
    ]);
    const inGroups = new Map(
      memberships.flatMap(([id, isIn]) => (isIn === undefined ? [] : [[id, isIn] as const])),
    );
    const hasHiddenGroups = !groups.areVisible();
    return { userId, channelId, conversation, inGroups, hasHiddenGroups };
  }

  return {
    read,
    problem: (): string | undefined => file?.problem(),
    /**
     * Returns true if the policy file makes this member an admin. Returns false if Slack doesn't say who is in a listed
     * group.
     */
    async namesAdmin({ teamId, userId }: RunViewer, waitMs?: number): Promise<boolean> {
      const { people, groups: groupIds = [] } = file?.adminsOf(teamId) ?? {};
      if (people?.includes(userId)) return true;
      const memberships = groupIds.map((id) => withSoftTimeout(groups.isIn(id, userId), waitMs));
      return (await Promise.all(memberships)).includes(true);
    },
    /** Reads the rules and facts for one decision. `waitMs` limits the wait for each answer from Slack. */
    async caseOf(place: PolicyPlace, waitMs?: number): Promise<PolicyCase> {
      const policy = await read(place.teamId);
      return { ...policy, facts: await readFacts(policy.rules, place, waitMs) };
    },
  };
}
