/**
 * `npm run check:blocks` checks everything that people see with the stand-in's Block Kit rules. `-- --live` also uses
 * Slack's `blocks.validate`, which needs no token. `--url=` sets another base of the Web API.
 */
import { checkLive, checkOffline, type Finding, slackApi } from './block-checks.ts';
import { previewCases } from './preview-cases.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const report = (findings: readonly Finding[]) => {
  for (const { name, problem } of findings) say(`✖ ${name}: ${problem}`);
  if (findings.length > 0) process.exitCode = 1;
};

const flags = process.argv.slice(2);
const unknown = flags.find((flag) => flag !== '--live' && !flag.startsWith('--url='));
if (unknown) {
  say(`What is ${unknown}? Only --live and --url=<base of the Web API> are known.`);
  process.exitCode = 2;
} else {
  const offline = checkOffline(previewCases);
  report(offline);
  say(`${previewCases.length} messages and views by our own rules: ${offline.length} not taken.`);
  if (flags.includes('--live')) {
    const url = flags.find((flag) => flag.startsWith('--url='))?.slice('--url='.length);
    const live = await checkLive(previewCases, url ?? slackApi);
    if ('unreachable' in live) {
      say(`Slack was not asked: ${live.unreachable}`);
      process.exitCode = 2;
    } else {
      report(live.findings);
      say(`${previewCases.length} by Slack itself: ${live.findings.length} not taken.`);
    }
  } else {
    say('Slack itself was not asked: npm run check:blocks -- --live');
  }
}
