import { createLocalWorkspace } from 'slack-stand-in';
import { parseManifest } from 'slack-stand-in/manifest';
import { expect, it, onTestFinished } from 'vitest';
import { checks } from '../../src/check-slack/checks.ts';
import type { Terminal } from '../../src/check-slack/person.ts';
import { runChecks } from '../../src/check-slack/run-checks.ts';
import { readAppScopes } from '../../src/config/app-scopes.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { finishManifest } from '../../src/manifest/finish-manifest.ts';
import { manifestSource } from '../support/product/manifest-source.ts';
import { type Plant, startPlantedSlack } from './planted-proxy.ts';

const channel = 'C04SECRETS1';
const linkDomain = 'runs.example.org';

async function startSlack() {
  const manifest = parseManifest(
    finishManifest(manifestSource, { unfurlDomains: [linkDomain], readsEmail: false }),
  );
  const workspace = createLocalWorkspace({
    manifest,
    logger: createLogger('silent'),
    keepTriggers: true,
    blockMismatchAfterMarkdown: false,
    ackWithinMs: 30_000,
  });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  return workspace;
}

type Options = {
  only?: readonly string[];
  plant?: Plant;
  terminal?: Terminal;
  patienceMs?: number;
};

async function check(
  workspace: Awaited<ReturnType<typeof startSlack>>,
  { only, plant, terminal, patienceMs = 20_000 }: Options,
) {
  const { botToken, appToken } = workspace;
  const apiUrl = plant ? await startPlantedSlack(workspace, plant) : workspace.apiUrl;
  let printed = '';
  const report = await runChecks({
    tokens: { apiUrl, botToken, appToken, linkDomain },
    scopes: readAppScopes(false),
    version: '0.0.0',
    checks: checks.filter(
      ({ id, needs }) => only?.includes(id) ?? (terminal || needs === 'nothing'),
    ),
    isAttended: terminal !== undefined,
    terminal: terminal ?? {
      print: (text) => {
        printed += text;
      },
      readLine: async () => undefined,
    },
    channel,
    patienceMs,
    signal: new AbortController().signal,
    logger: createLogger('silent'),
  });
  return { report, printed };
}

const differences = ({ findings }: Awaited<ReturnType<typeof runChecks>>) =>
  findings.filter(({ outcome }) => outcome === 'differs').map(({ assumption }) => assumption);

it('does what needs no person, in the stand-in', async () => {
  const workspace = await startSlack();
  const before = workspace.messagesIn(channel).length;
  const { report, printed } = await check(workspace, {
    only: ['2', '3', '6', '7', 'private', 'upload'],
  });
  expect(differences(report)).toEqual([]);
  expect(printed).toContain('0 differ, 1 not decided, ');
  expect(report.left).toEqual([]);
  expect(workspace.messagesIn(channel).filter((each) => !each.visibleTo)).toHaveLength(before);
});
