import { createLogger } from 'base/logger';
import {
  type Actor,
  createLocalWorkspace,
  type LocalWorkspace,
  type LocalWorkspaceOptions,
} from 'slack-stand-in';
import { parseManifest } from 'slack-stand-in/manifest';
import { onTestFinished } from 'vitest';
import { checks } from '../../src/check-slack/checks.ts';
import { runChecks } from '../../src/check-slack/run-checks.ts';
import { readAppScopes } from '../../src/config/app-scopes.ts';
import { finishManifest } from '../../src/manifest/finish-manifest.ts';
import { manifestSource } from '../support/product/manifest-source.ts';
import { ackWithinMs } from '../support/product/product.ts';
import { type Plant, startPlantedSlack } from './planted-slack.ts';
import { type Differently, scriptedTerminal } from './scripted-person.ts';

const linkDomain = 'runs.example.org';

/** Starts a workspace of the stand-in that behaves as the checks assume Slack does. */
export async function startSlack(readings: Partial<LocalWorkspaceOptions> = {}) {
  const workspace = createLocalWorkspace({
    manifest: parseManifest(
      finishManifest(manifestSource, { unfurlDomains: [linkDomain], readsEmail: false }),
    ),
    logger: createLogger('silent'),
    keepTriggers: true,
    blockMismatchAfterMarkdown: false,
    directThreads: false,
    ...readings,
    ackWithinMs,
  });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const channel = 'C04SECRETS1';
  return { workspace, ada: workspace.as('ada'), channel, elsewhere: 'C04RANDOM01' };
}

type Slack = { workspace: LocalWorkspace; ada: Actor; channel: string; elsewhere: string };
type Options = {
  /** IDs of checks to run. By default all, or those that need no person. */
  only?: readonly string[];
  plant?: Plant;
  /** The person at the terminal. Undefined if nobody is there. */
  person?: Differently;
  patienceMs?: number;
  signal?: AbortSignal;
};

export async function check(
  slack: Slack,
  { only, plant, person, patienceMs = 30_000, signal = new AbortController().signal }: Options,
) {
  const { workspace, channel } = slack;
  const { botToken, appToken } = workspace;
  const apiUrl = plant ? await startPlantedSlack(workspace, plant) : workspace.apiUrl;
  const { terminal, printed } = scriptedTerminal(slack, person);
  const report = await runChecks({
    tokens: { apiUrl, botToken, appToken, linkDomain },
    scopes: readAppScopes(false),
    version: '0.0.0',
    checks: checks.filter(({ id, needs }) => only?.includes(id) ?? (person || needs === 'nothing')),
    isAttended: person !== undefined,
    terminal,
    channel,
    patienceMs,
    signal,
    logger: createLogger('silent'),
  });
  return { report, printed: printed() };
}

/** Returns the assumptions that differ from Slack. */
export const differences = ({ findings }: Awaited<ReturnType<typeof runChecks>>) =>
  findings.filter(({ outcome }) => outcome === 'differs').map(({ assumption }) => assumption);
