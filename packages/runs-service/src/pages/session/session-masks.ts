import { maskSecrets, maskValues } from 'base/secrets/mask-secrets';
import type { AgentProgress, Question } from 'runs-client/contract';

export const masked = (text: string) => maskSecrets(text).text;

/**
 * Masks secrets in metadata. Each value is masked together with its name, because the name can show that the value is a
 * secret.
 */
export const maskMetadata = (metadata: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => {
      const before = `${name}: `;
      const shown = masked(before + value);
      return [name, shown.startsWith(before) ? shown.slice(before.length) : masked(value)];
    }),
  );

/** Masks progress, because an agent can repeat a key in anything it writes. */
export const maskProgress = ({ question, ...progress }: AgentProgress): AgentProgress => ({
  ...maskValues(progress, masked),
  ...(question && { question: maskQuestion(question) }),
});

/** Masks secrets in a question. Keeps the names of fields and the IDs of options, because answers need them. */
const maskQuestion = (question: Question): Question => ({
  ...maskValues(question, masked),
  fields: question.fields?.map(({ label, description, options, ...field }) => ({
    ...field,
    label: masked(label),
    description: description && masked(description),
    options: options?.map((each) => ({ ...each, label: masked(each.label) })),
  })),
  options: question.options.map(({ label, ...option }) => ({ ...option, label: masked(label) })),
});
