import type { PublishRunRequest } from 'runs-client/publication';
import { readableLine, readableText } from '../../lib/readable-text.ts';
import { shorten } from '../../lib/shorten.ts';
import type { ServiceRun } from '../../store/service/runs/service-runs.ts';
import type { PublishConfig } from '../environments/publish-config.ts';
import { fillTemplate, harmless, templateValues } from './templates.ts';

const maxTitleCharacters = 250;
const maxBodyCharacters = 60_000;
const usualBranch = 'agent/{run}';
/** Without the prompt: who can read the repository may not be allowed to read the conversation. */
const usualBody = '{answer}\n\n---\nRun {run} in {environment}, requested by {creator}.';

/** The name of a conversation's branch, from its first run that is published. */
export const branchOf = (config: PublishConfig, run: ServiceRun): string =>
  fillTemplate(config.branch ?? usualBranch, templateValues(run, ''));

export function pullRequestTexts(
  config: PublishConfig,
  run: ServiceRun,
  answer: string,
  wanted: PublishRunRequest,
): { title: string; body: string } {
  const values = templateValues(run, answer);
  const title = wanted.title ?? fillTemplate(config.title ?? '{title}', values);
  const body = wanted.body ?? fillTemplate(config.body ?? usualBody, values);
  return {
    title: shorten(readableLine(title) || `Run ${values.run}`, maxTitleCharacters),
    body: shorten(readableText(body).trim(), maxBodyCharacters),
  };
}

/** The creator is a co-author if their address is known; without one git has no such trailer. */
export function commitMessage(title: string, run: ServiceRun): string {
  const creator = JSON.parse(run.creator_json) as { display_name?: string; email?: string };
  const name = readableLine(harmless(creator.display_name ?? '')).replace(/[<>]/g, '');
  const email = /^[^\s<>@]+@[^\s<>@]+$/.exec(creator.email ?? '')?.[0];
  const trailers = [
    `Run-Id: ${run.id}`,
    ...(name !== '' && email === undefined ? [`Requested-by: ${name}`] : []),
    ...(name !== '' && email !== undefined ? [`Co-authored-by: ${name} <${email}>`] : []),
  ];
  return `${title}\n\n${trailers.join('\n')}\n`;
}
