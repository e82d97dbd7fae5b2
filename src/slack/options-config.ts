import type { AgentConfig } from '../runs-api/contract.ts';
import type { AgentOptions } from './read-options.ts';
import { isSkillSpec, skillSpecProblem } from './skill-spec.ts';

/** The options as a configuration, or what is wrong with them. */
export function readOptionsConfig(options: AgentOptions): AgentConfig | string {
  const { env, model, name, skill, conn } = options;
  if (skill !== undefined && !isSkillSpec(skill)) return `\`skill=\`: ${skillSpecProblem}`;
  if (conn !== undefined && conn.toLowerCase() !== 'workspace') {
    return '`conn=`: there is only the connection `workspace`.';
  }
  return {
    ...(env && { environment_id: env }),
    ...(model && { model_id: model }),
    ...(name && { name }),
    ...(skill && { skill_spec: skill }),
  };
}
