import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { createMethods } from '../../../src/local-workspace/methods/all-methods.ts';
import { commonErrors } from '../../../src/local-workspace/permissions.ts';
import { seedWorld } from '../../../src/local-workspace/seed.ts';
import { createWorkspaceParts } from '../../../src/local-workspace/workspace-parts.ts';
import {
  hasSharedData,
  readSharedJson,
  sharedPath,
  whySkipped,
} from '../../support/shared-data.ts';
import { testManifest } from '../support/manifest.ts';

type Reference = {
  args: { properties?: object; required?: string[] };
  errors: object | null;
  scope: { bot?: string[] };
  rate_limits: string | null;
};

const logger = createLogger('silent');
const parts = createWorkspaceParts(
  { manifest: testManifest, logger },
  seedWorld('Test App'),
  () => 'http://127.0.0.1',
);
const methods = createMethods(parts);
const readReference = (name: string) => readSharedJson(`slack/methods/${name}.json`) as Reference;

/** Seen from Slack, though the reference of the method does not list it. */
const undocumented: Record<string, readonly string[]> = {
  'chat.postMessage': ['msg_too_long'],
  'chat.postEphemeral': ['msg_blocks_too_long'],
  'chat.update': ['msg_blocks_too_long'],
  'conversations.history': ['invalid_limit'],
  'conversations.replies': ['invalid_limit', 'not_in_channel'],
  'reactions.add': ['not_in_channel'],
  'reactions.get': ['not_in_channel'],
  'reactions.remove': ['not_in_channel'],
  'users.list': ['invalid_limit'],
};

/** The reference gives chat.postMessage none of its own, and other sources put apps.connections.open lower. */
const otherTiers: Record<string, string | number> = {
  'chat.postMessage': 'post',
  'apps.connections.open': 1,
};

const skipNote = hasSharedData ? '' : ` (${whySkipped})`;

describe.skipIf(!hasSharedData)(`the tables of the Web API's methods${skipNote}`, () => {
  it.each(methods)('$name is a method of Slack', ({ name }) => {
    expect(existsSync(sharedPath(`slack/methods/${name}.json`))).toBe(true);
  });

  it.each(methods)('$name takes only arguments that Slack documents', ({ name, argumentNames }) => {
    const known = ['team_id', ...Object.keys(readReference(name).args.properties ?? {})];
    expect(argumentNames.filter((each) => !known.includes(each))).toEqual([]);
  });

  it.each(methods)('$name answers only errors that Slack documents', ({ name, errors }) => {
    const known = [
      ...Object.keys(readReference(name).errors ?? {}),
      ...commonErrors,
      ...(undocumented[name] ?? []),
    ];
    expect(errors.filter((each) => !known.includes(each))).toEqual([]);
  });

  it.each(methods)('$name wants one of the scopes that Slack wants', ({ name, scopes }) => {
    const wanted = readReference(name).scope.bot ?? [];
    expect(scopes.filter((each) => !wanted.includes(each))).toEqual([]);
    expect(scopes.length > 0).toBe(wanted.length > 0);
  });

  it.each(methods)('$name has the tier that Slack gives it', ({ name, tier }) => {
    const documented = readReference(name).rate_limits?.slice(1);
    const expected = otherTiers[name] ?? (documented ? Number(documented) : tier);
    expect(tier).toBe(expected);
  });
});
