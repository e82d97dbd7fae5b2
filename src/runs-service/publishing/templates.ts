import { readableText } from '../../lib/readable-text.ts';
import type { ServiceRun } from '../../store/service/runs/service-runs.ts';

type TemplateValues = Record<
  'run' | 'conversation' | 'title' | 'prompt' | 'answer' | 'creator' | 'environment',
  string
>;

const short = (id: string) => id.replace(/[^\w-]/g, '').slice(0, 8);

export function templateValues(run: ServiceRun, answer: string): TemplateValues {
  const creator = JSON.parse(run.creator_json) as { display_name?: string; uid?: string };
  return {
    run: short(run.id),
    conversation: run.conversation_id.replace(/[^\w-]/g, '').slice(0, 40),
    title: run.title,
    prompt: run.prompt,
    answer: harmless(answer),
    creator: harmless(creator.display_name ?? creator.uid ?? ''),
    environment: run.environment_id,
  };
}

/** Replaces `{name}`; unknown names stay. */
export const fillTemplate = (template: string, values: TemplateValues): string =>
  template.replace(/\{([a-z]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name as keyof TemplateValues] : whole,
  );

const separator = '\u200b';

/** Words of GitHub and GitLab that close an issue when they are before its number or address. */
const closing =
  /\b(?:clos|fix|resolv|implement)(?:e|es|ed|s|ing)?(?=:?\s+\S{0,200}?(?:#|GH-|\/(?:issues|work_items)\/)\d|:?\s+issues?\s+#?\d)/gi;

/**
 * A text of an agent on a code host: it notifies no people or teams and closes no issues. A zero-width space in a mention,
 * a character reference that could become one, or a closing word keeps it a text.
 */
export const harmless = (text: string): string =>
  readableText(text)
    .replace(/@(?=\S)|&(?=#|commat;|num;)/gi, `$&${separator}`)
    .replace(closing, (word) => word.slice(0, 1) + separator + word.slice(1));
