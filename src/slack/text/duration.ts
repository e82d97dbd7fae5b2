const steps = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'min', ms: 60_000 },
  { unit: 's', ms: 1_000 },
] as const;

/** `2 min 14 s`: the two largest units, so that a long time is not given to the second. */
export function durationText(ms: number): string {
  if (!(ms >= 1_000)) return 'under 1 s';
  const first = steps.findIndex((step) => ms >= step.ms);
  return steps
    .slice(first, first + 2)
    .map(({ unit, ms: unitMs }, index) => {
      const above = index === 0 ? Number.POSITIVE_INFINITY : (steps[first]?.ms ?? unitMs);
      return { unit, count: Math.floor((ms % above || 0) / unitMs) };
    })
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) => `${count} ${unit}`)
    .join(' ');
}
