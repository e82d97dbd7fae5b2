type Option = {
  value: string;
  text: { text: string };
  description?: { text: string } | undefined;
};

/** Initial options must match an option exactly, including text and description. */
export function isAmong(
  options: readonly Option[],
  initial: readonly Option[],
): string | undefined {
  const known = new Set(options.map(write));
  if (initial.every((option) => known.has(write(option)))) return undefined;
  return initial.length === 1
    ? 'initial option must match one of the options'
    : 'initial options must match the options';
}

const write = ({ value, text, description }: Option) =>
  JSON.stringify([value, text.text, description?.text ?? null]);
