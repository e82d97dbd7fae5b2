const pattern = /^[^/\s:]+\/[^/\s:]+:\S+$/;

export const skillSpecProblem = 'Write it as owner/repo:skill-name or owner/repo:path/to/SKILL.md.';

export const isSkillSpec = (text: string): boolean => pattern.test(text);
