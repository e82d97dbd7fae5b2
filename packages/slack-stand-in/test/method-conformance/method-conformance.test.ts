import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalWorkspace } from '../../src/index.ts';
import { createMethods } from '../../src/methods/all-methods.ts';
import { commonErrors } from '../../src/web-api/permissions.ts';
import { createWorkspace } from '../../src/workspace.ts';
import { seedWorld } from '../../src/world/seed.ts';
import { testManifest } from '../support/manifest.ts';
import { hasSharedData, whySkipped } from '../support/shared-data.ts';
import { callEveryMethod } from './call-every-method.ts';
import { asTheSchemaWants, compileAnswer, compileArguments, readMethod } from './schemas.ts';

const options = { manifest: testManifest, retryDelaysMs: [] };
const methods = createMethods(createWorkspace(options, seedWorld('x'), () => 'http://127.0.0.1:1'));
const cases = methods.map((method): [string, (typeof methods)[number]] => [method.name, method]);

/** Intended differences from the documented tiers, with reasons. */
const otherTiers: Record<string, string> = {
  'apps.connections.open': 'a scrape says 3, the SDKs say 1: the stricter one',
  'blocks.validate': 'documented without a tier',
  'chat.postMessage': 'has a tier of its own',
};
const seenInTheWild = 'undocumented, but answered by Slack all the same (HubSpot/slack-client#356)';
const otherArguments: Record<string, Record<string, string>> = {
  'chat.unfurl': { metadata: 'in the SDK and in the guide to work objects, not in the reference' },
};
const otherErrors: Record<string, Record<string, string>> = {
  'chat.postMessage': {
    msg_too_long: 'documented to be cut above 40,000; rejecting is stricter',
    invalid_attachments: 'documented on the page of the table block, for a second table',
  },
  'chat.update': { msg_blocks_too_long: 'undocumented, as for chat.postMessage (bolt-js#2509)' },
  'conversations.replies': { not_in_channel: seenInTheWild },
  'reactions.add': { not_in_channel: seenInTheWild },
  'reactions.get': { not_in_channel: seenInTheWild },
  'reactions.remove': { not_in_channel: seenInTheWild },
};

const otherNames = 'the schema requires other names than it describes and its example has';
const otherAnswers: Record<string, Record<string, string>> = {
  'auth.teams.list': { '': otherNames, '/teams/0': otherNames },
  'oauth.v2.access': { '/token_type': 'the schema says "granular_bot", its own examples "bot"' },
};

const skipNote = hasSharedData ? '' : ` (${whySkipped})`;

describe.skipIf(!hasSharedData)(`each method of the Web API is as documented${skipNote}`, () => {
  it.each(cases)('%s accepts only documented arguments', (name, method) => {
    const documented = Object.keys(readMethod(name).args?.properties ?? {});
    const known = [...documented, ...Object.keys(otherArguments[name] ?? {})];
    expect(method.argumentNames.filter((each) => !known.includes(each))).toEqual([]);
  });

  it.each(cases)('%s knows every required argument', (name, method) => {
    const required = readMethod(name).args?.required ?? [];
    const missing = required.filter((each) => !['token', ...method.argumentNames].includes(each));
    expect(missing).toEqual([]);
  });

  it.each(cases)('%s has the documented scopes', (name, method) => {
    const documented = readMethod(name).scope?.bot ?? [];
    expect(method.scopes.filter((each) => !documented.includes(each))).toEqual([]);
    if (documented.length > 0) expect(method.scopes).not.toEqual([]);
  });

  it.each(cases)('%s has the documented rate tier', (name, method) => {
    if (name in otherTiers) return;
    expect(`t${method.tier}`).toBe(readMethod(name).rate_limits);
  });

  it.each(cases)('%s returns only documented errors', (name, method) => {
    const documented = Object.keys(readMethod(name).errors ?? {});
    const known = [...documented, ...commonErrors, ...Object.keys(otherErrors[name] ?? {})];
    expect(method.errors.filter((each) => !known.includes(each))).toEqual([]);
  });

  describe('in use', () => {
    const workspace = createLocalWorkspace(options);
    beforeAll(async () => {
      await workspace.start();
      await callEveryMethod(workspace);
    });
    afterAll(() => workspace.stop());

    const callsOf = (name: string) =>
      workspace.traffic.recent().filter((each) => each.direction === 'call' && each.name === name);

    it.each(cases)('%s accepts and returns what its schema allows', (name) => {
      const documented = readMethod(name);
      const [checkArguments, checkAnswer] = [
        compileArguments(documented, Object.keys(otherArguments[name] ?? {})),
        compileAnswer(documented),
      ];
      const calls = callsOf(name);
      expect(calls).not.toEqual([]);
      for (const { request, answer } of calls) {
        checkArguments(asTheSchemaWants(documented, Object(request)));
        expect(checkArguments.errors ?? [], 'arguments').toEqual([]);
        checkAnswer(answer);
        const waived = otherAnswers[name] ?? {};
        const wrong = (checkAnswer.errors ?? []).filter((each) => !(each.instancePath in waived));
        expect(wrong, 'answer').toEqual([]);
      }
    });
  });
});
