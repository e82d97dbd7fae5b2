import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import {
  general,
  opensModal,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

/** A public channel that the app isn't in. */
const random = 'C04RANDOM01';
const question = {
  message: 'why?',
  uploads: [{ name: 'a.log', mimeType: 'text/plain', content: 'one' }],
};

const agent = `case "$AGENT_PROMPT" in
  long*) printf 'word %.0s' $(seq 4000);;
  *) echo "got: $AGENT_PROMPT";;
esac`;

/** Starts a product in a workspace where the installer deselected one scope. */
async function startWithout(scope: string, changes: Partial<BotConfig> = {}) {
  const environments = [shellEnvironment(agent, { default: true, repositories: [] })];
  const { service } = await startRunsService({ environments });
  const runsApi = { baseUrl: service.apiUrl, apiKey: testKey };
  const product = await startProduct({ runsApi, ...changes }, { leftOut: [scope] });
  const { logger, lines } = createLineLogger();
  await product.startBot({}, logger);
  const { workspace, ada } = product;
  // The first call's answer tells the app which scopes Slack granted.
  await ada.opensHome();
  await workspace.until(() => ada.home());
  const calls = (method: string) =>
    workspace.traffic
      .recent()
      .filter(({ direction, name }) => direction === 'call' && name === method);
  return {
    ...product,
    calls,
    /** Lines logged as errors, and the highest number of calls to one method that failed for a missing scope. */
    trouble: () => ({
      lines: lines.filter(({ level }) => level >= 50).map(({ msg }) => msg),
      most: Math.max(
        ...workspace.traffic
          .recent()
          .map(({ name, answer }) =>
            textOf(answer).includes('missing_scope')
              ? calls(name).filter((each) => textOf(each.answer).includes('missing_scope')).length
              : 0,
          ),
      ),
    }),
  };
}

const hidden =
  "names a user group, and Slack doesn't let the app see groups, so nothing was started. Ask the app's operator";

const quiet = { lines: [], most: expect.toSatisfy((most: number) => most <= 1) };

it('without files:read, a run starts without the files, and its message and its agent are told', async () => {
  const { ada, workspace, trouble } = await startWithout('files:read');
  for (const round of [1, 2]) {
    const { message } = await ada.types(general, `${question.message} ${round}`, question);
    await ada.usesMessageShortcut('message-shortcut:run', {
      channelId: general,
      ts: message?.ts ?? '',
    });
    await workspace.until(() => textOf(ada.modal()?.content).includes('Send 1 file'));
    expect(await ada.submits()).toEqual({});
    await runMessageShowing(workspace, `[a.log wasn't sent because`);
    const note = "a.log wasn't sent because the app doesn't have permission";
    expect(textOf(runMessageIn(workspace))).toContain(`⚠️ ${note}`);
  }
  expect(trouble()).toEqual(quiet);
});

it('without files:write, a long answer is its beginning, with Show full answer', async () => {
  const { ada, workspace, calls, trouble } = await startWithout('files:write');
  for (const round of [1, 2]) {
    await ada.types(general, `/agent run long ${round}`);
    const { ts } = await runMessageShowing(workspace, `long ${round}`);
    const thread = () => workspace.messagesIn(general, { thread: ts }).slice(1);
    await workspace.until(() => textOf(thread()).includes('word word'));
    await workspace.until(() => textOf(runMessageIn(workspace)).includes('Show full answer'));
    await workspace.settled();
    expect(thread()).toHaveLength(1);
  }
  expect(calls('files.completeUploadExternal')).toEqual([]);
  expect(trouble()).toEqual(quiet);
});

it('without chat:write.public, the command and the form say to invite the app before a run starts', async () => {
  const product = await startWithout('chat:write.public');
  const { ada, workspace, trouble } = product;
  const invite = "The app can't post in this conversation. Type /invite @agent";
  await ada.types(random, '/agent run go');
  await workspace.until(() => textOf(workspace.messagesIn(random)).includes(invite));
  await opensModal(product, ada, '/agent go', random);
  expect(textOf(await ada.submits())).toContain(invite);
  await ada.invitesApp(random);
  await ada.types(random, '/agent run go');
  await runMessageShowing(workspace, 'Succeeded', random);
  expect(trouble()).toEqual(quiet);
});

it('without usergroups:read, a rule that names a group denies what it decides, and says what is missing', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'policy.yml');
  writeFileSync(file, 'rules:\n  - { name: Oncall, groups: [S04ONCALL01], start: true }\n');
  const { grace, workspace, trouble } = await startWithout('usergroups:read', { policyFile: file });
  for (const round of [1, 2]) {
    await grace.types(general, `/agent run go ${round}`);
    await workspace.until(
      () =>
        workspace.messagesIn(general).filter((each) => textOf(each).includes(hidden)).length ===
        round,
    );
  }
  expect(runMessageIn(workspace)).toBeUndefined();
  expect(trouble()).toEqual(quiet);
});

it("without reactions:write, a run's source isn't marked", async () => {
  const { ada, workspace, calls, trouble } = await startWithout('reactions:write');
  for (const round of [1, 2]) {
    const { message } = await ada.types(general, `<@${workspace.bot.userId}> go ${round}`);
    await workspace.until(() => textOf(workspace.messagesIn(general)).includes(`got: go ${round}`));
    await workspace.settled();
    expect(workspace.messagesIn(general).find(({ ts }) => ts === message?.ts)?.reactions).toEqual(
      [],
    );
  }
  expect(calls('reactions.add').length).toBeLessThanOrEqual(1);
  expect(trouble()).toEqual(quiet);
});

it.each(['mpim:read', 'mpim:history'])(
  'without %s, everything outside group DMs works',
  async (scope) => {
    const { ada, workspace, trouble } = await startWithout(scope);
    await ada.types(general, '/agent run go');
    await runMessageShowing(workspace, 'Succeeded');
    expect(trouble()).toEqual(quiet);
  },
);
