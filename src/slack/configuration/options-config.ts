import type { AgentConfig } from 'runs-client/contract';
import type { AgentOptions, OptionKey } from './read-options.ts';
import { isSkillSpec, skillSpecProblem } from './skill-spec.ts';

export type ReadOptionsConfig =
  | { ok: true; config: AgentConfig }
  | { ok: false; wrong: OptionKey; problem: string };

/** The options as a configuration, or which of them is wrong and why. */
export function readOptionsConfig(options: AgentOptions): ReadOptionsConfig {
  const { env, model, name, skill } = options;
  if (skill !== undefined && !isSkillSpec(skill)) {
    return { ok: false, wrong: 'skill', problem: `\`skill=\`: ${skillSpecProblem}` };
  }
  const config = {
    ...(env && { environment_id: env }),
    ...(model && { model_id: model }),
    ...(name && { name }),
    ...(skill && { skill_spec: skill }),
  };
  return { ok: true, config };
}
