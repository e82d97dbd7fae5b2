import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import type { PublishRunRequest } from 'runs-client/publication';
import type { PublishConfig } from '../../environments/publish-config.ts';
import type { StoredRun } from '../../store/runs.ts';
import { hostMarkdown } from './host-markdown.ts';
import { plainLine } from './inert-text.ts';
import { textMarkdown } from './inline-markdown.ts';

const maxTitleCharacters = 250;
const usualBranch = 'agent/{run}';
/**
 * Default template of a pull request's description. It leaves out the prompt. Some people can read the repository, but
 * not the conversation.
 */
const usualBody = '{answer}\n\n---\nRun {run} in {environment}, requested by {creator}.';

const asPlainLine = { line: plainLine, text: plainLine };
const asMarkdown = {
  line: (text: string) => textMarkdown(readableLine(text)),
  text: hostMarkdown,
};

/** Returns the name of a conversation's branch, made from its first published run. */
export const branchOf = (config: PublishConfig, run: StoredRun): string =>
  fillTemplate(config.branch ?? usualBranch, templateValues(run, '', asPlainLine));

/**
 * Renders the title and the description. The service posts them with its own token, so texts of agents and people must
 * have no effect. The operator wrote the templates, so they stay unchanged.
 */
export function pullRequestTexts(
  config: PublishConfig,
  run: StoredRun,
  answer: string,
  wanted: PublishRunRequest,
): { title: string; body: string } {
  const values = templateValues(run, answer, asPlainLine);
  const title =
    wanted.title === undefined
      ? readableLine(fillTemplate(config.title ?? '{title}', values))
      : plainLine(wanted.title);
  const body =
    wanted.body === undefined
      ? fillTemplate(config.body ?? usualBody, templateValues(run, answer, asMarkdown))
      : hostMarkdown(wanted.body);
  return {
    title: shorten(title || `Run ${values.run}`, maxTitleCharacters),
    body: body.trim(),
  };
}

/**
 * Returns the commit message. The creator is listed as co-author if their email address is known, because git's trailer
 * requires it.
 * @param title one line without marks that make a host act
 */
export function commitMessage(title: string, run: StoredRun): string {
  const creator = JSON.parse(run.creator_json) as { display_name?: string; email?: string };
  const name = plainLine(creator.display_name ?? '').replace(/[<>]/g, '');
  const email = /^[^\s<>@]+@[^\s<>@]+$/.exec(creator.email ?? '')?.[0];
  const trailers = [
    `Run-Id: ${run.id}`,
    ...(name !== '' && email === undefined ? [`Requested-by: ${name}`] : []),
    ...(name !== '' && email !== undefined ? [`Co-authored-by: ${name} <${email}>`] : []),
  ];
  return `${title}\n\n${trailers.join('\n')}\n`;
}

type TemplateValues = Record<
  'run' | 'conversation' | 'title' | 'prompt' | 'answer' | 'creator' | 'environment',
  string
>;

const short = (id: string) => id.replace(/[^\w-]/g, '').slice(0, 8);

/** Functions that render texts of agents and people, as Markdown or as plain lines. */
type Render = {
  line(text: string): string;
  text(text: string): string;
};

/** Returns the values for templates. A value is rendered only if a template uses it, because an answer can be long. */
function templateValues(run: StoredRun, answer: string, render: Render) {
  const creator = JSON.parse(run.creator_json) as { display_name?: string; uid?: string };
  return {
    run: short(run.id),
    conversation: run.conversation_id.replace(/[^\w-]/g, '').slice(0, 40),
    get title() {
      return render.line(run.title);
    },
    get prompt() {
      return render.text(run.prompt);
    },
    get answer() {
      return render.text(answer);
    },
    get creator() {
      return render.line(creator.display_name ?? creator.uid ?? '');
    },
    environment: run.environment_id,
  } satisfies TemplateValues;
}

/** Replaces each `{name}` in a template with its value. Unknown names stay unchanged. */
const fillTemplate = (template: string, values: TemplateValues): string =>
  template.replace(/\{([a-z]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name as keyof TemplateValues] : whole,
  );
