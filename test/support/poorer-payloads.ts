export type JsonObject = Record<string, unknown>;

/** The payload without one of its members, for each at any depth; `external_ref`, `link` and `entity_url` also at once. */
export function* poorer(value: JsonObject): Generator<JsonObject> {
  const { external_ref: _, link, entity_url: url, ...neither } = value;
  if (link || url) yield neither;
  for (const [name, part] of Object.entries(value)) {
    const { [name]: __, ...without } = value;
    if (name !== 'type') yield without;
    if (typeof part === 'object' && part !== null && !Array.isArray(part))
      for (const each of poorer(part as JsonObject)) yield { ...value, [name]: each };
    if (Array.isArray(part)) yield { ...value, [name]: [{}] };
  }
}
