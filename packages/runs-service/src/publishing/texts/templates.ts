import type { ServiceRun } from '../../store/runs/service-runs.ts';

type TemplateValues = Record<
  'run' | 'conversation' | 'title' | 'prompt' | 'answer' | 'creator' | 'environment',
  string
>;

const short = (id: string) => id.replace(/[^\w-]/g, '').slice(0, 8);

/** How a place shows texts of agents and people. */
type Render = {
  line(text: string): string;
  text(text: string): string;
};

/** Read when a template names them: an answer can be long. */
export function templateValues(run: ServiceRun, answer: string, render: Render) {
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

/** Replaces `{name}`; unknown names stay. */
export const fillTemplate = (template: string, values: TemplateValues): string =>
  template.replace(/\{([a-z]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name as keyof TemplateValues] : whole,
  );
