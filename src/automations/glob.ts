/**
 * Returns true if a pattern matches the whole text. `*` stands for any text, also none. Case doesn't matter. Takes
 * linear time, because each part of the pattern is searched once, after the part before it.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.toLowerCase().split('*');
  const last = parts.pop();
  const searched = text.toLowerCase();
  if (last === undefined) return searched === first;
  if (!searched.startsWith(first) || !searched.endsWith(last)) return false;
  let from = first.length;
  const end = searched.length - last.length;
  for (const part of parts) {
    const found = searched.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return from <= end;
}
