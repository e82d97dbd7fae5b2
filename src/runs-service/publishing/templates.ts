import type { ServiceRun } from '../../store/service/service-runs.ts';

export type TemplateValues = Record<
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
    answer: withoutMentions(answer),
    creator: creator.display_name ?? creator.uid ?? '',
    environment: run.environment_id,
  };
}

/** Replaces `{name}`; unknown names stay. */
export const fillTemplate = (template: string, values: TemplateValues): string =>
  template.replace(/\{([a-z]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name as keyof TemplateValues] : whole,
  );

/** An agent must not notify people or teams: a zero-width space keeps `@name` from being a mention. */
export const withoutMentions = (text: string): string => text.replace(/@(?=\w)/g, '@\u200b');
