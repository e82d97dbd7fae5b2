const pattern = /^[^/\s:]+\/[^/\s:]+:\S+$/;

export const skillSpecProblem =
  'Use the format owner/repo:skill-name or owner/repo:path/to/SKILL.md.';

export const isSkillSpec = (text: string): boolean => pattern.test(text);
