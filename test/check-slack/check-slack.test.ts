import { createLogger } from 'base/logger';
import { expect, it } from 'vitest';
import { type Report, reportAsJson, reportAsMarkdown } from '../../src/check-slack/report.ts';
import { runChecks } from '../../src/check-slack/run-checks.ts';
import { readAppScopes } from '../../src/config/app-scopes.ts';
import { check, differences, startSlack } from './check-bed.ts';

/** Returns the bot's messages that other people can see. */
const postsLeft = ({
  workspace,
  ada,
  channel,
  elsewhere,
}: Awaited<ReturnType<typeof startSlack>>) =>
  [channel, elsewhere, ada.directChannelId]
    .flatMap((place) => workspace.messagesIn(place))
    .filter(({ botId, visibleTo }) => botId === workspace.bot.botId && !visibleTo);

it('does what needs no person, and deletes what it posted', async () => {
  const slack = await startSlack();
  const { workspace, channel } = slack;
  const before = workspace.messagesIn(channel).length;
  const { report, printed } = await check(slack, {});
  expect(differences(report)).toEqual([]);
  expect(report.left).toEqual([]);
  expect(printed).toContain('0 differ, 1 not decided, ');
  expect(workspace.messagesIn(channel).filter((each) => !each.visibleTo)).toHaveLength(before);
});

it('leads a person through the rest, and finds nothing in a Slack that is as assumed', async () => {
  const slack = await startSlack();
  const { report } = await check(slack, { person: {} });
  expect(differences(report)).toEqual([]);
  expect(report.findings.filter(({ outcome }) => outcome === 'not decided')).toEqual([]);
  expect(report.left).toEqual([]);
  expect(postsLeft(slack)).toEqual([]);
});

it('deletes what it posted and reports what it has, if it is interrupted', async () => {
  const slack = await startSlack();
  const by = new AbortController();
  const interrupts = { at: 'select Stop', by };
  const { report } = await check(slack, {
    only: ['10', '12'],
    person: { interrupts },
    signal: by.signal,
  });
  expect(report.isPartial).toBe(true);
  expect(report.findings.map(({ check: id, outcome }) => [id, outcome])).toEqual([
    ['10', 'as assumed'],
    ['10', 'as assumed'],
    ['10', 'not decided'],
  ]);
  expect(postsLeft(slack)).toEqual([]);
  expect(reportAsMarkdown(report)).toContain('The checks were stopped before the end.');
});

it('has no tokens, names or whole ids in its report', () => {
  const said = 'team_id T04ENGINE01 and E07STARSHIP, xoxb-1-abc, U02OLDONE\nT04ENGINE01';
  const named = { check: '4', title: 'Commands', assumption: 'a|b' };
  const report: Report = {
    slashAgent: '1',
    node: '20',
    at: 'now',
    workspace: 'T04ENGINE01',
    isPartial: false,
    findings: [{ ...named, outcome: 'differs', said, means: 'c' }],
    left: ['message: cant_delete_message'],
  };
  const page = reportAsMarkdown(report);
  expect(page).toContain('workspace T…E01: 1 differs, 0 not decided, 0 as assumed.');
  expect(page).toContain('| 4 | a\\|b | team_id T…E01 and E…HIP, [token], U…ONE T…E01 | c |');
  expect(page).toContain('Not cleaned up: message: cant_delete_message.');
  expect(reportAsJson(report)).not.toMatch(/ENGINE|OLD|xoxb/);
});

it('asks nothing more once it is stopped, not even for the channel', async () => {
  const stopping = new AbortController();
  const { workspace, ...slack } = await startSlack();
  const { botToken, appToken, apiUrl } = workspace;
  const checking = runChecks({
    tokens: { apiUrl, botToken, appToken, linkDomain: 'runs.example.org' },
    scopes: readAppScopes(false),
    version: '1',
    checks: [],
    isAttended: true,
    terminal: { print: () => stopping.abort(), readLine: () => new Promise(() => {}) },
    channel: undefined,
    patienceMs: 1_000,
    signal: stopping.signal,
    logger: createLogger('silent'),
  });
  await expect(checking).rejects.toThrow('No channel was chosen.');
  expect(workspace.messagesIn(slack.channel).filter(({ botId }) => botId)).toEqual([]);
});
