/** Answers that report finished work: reports, reviews, plans, logs and diffs. */
import { code, files, findings, pick, services, table, tests, times } from './words.ts';

const report = (n: number) => `## Done: ${pick(findings, n)[0].toLowerCase()}

${pick(findings, n)[1]} I fixed it in \`${pick(files, n)}\` and added a regression test.

### What changed

${times(3 + (n % 5), (index) => `- **\`${pick(files, n + index)}\`**: ${pick(findings, n + index)[1]}`).join('\n')}

### How I checked it

${times(3, (index) => `${index + 1}. \`npm test -- "${pick(tests, n + index)}"\` passes (${120 + n + index} tests)`).join('\n')}

${pick(code, n)}

> Note: \`${pick(files, n + 5)}\` has the same pattern, but changing it would alter the public API, so I left it.
`;

const review = (n: number) => `# Review of pull request #${1_200 + n}

Overall this looks good. ${2 + (n % 6)} things should be fixed before merging.

${times(2 + (n % 6), (index) => {
  const [title, why] = pick(findings, n + index);
  const severity = pick(['🔴 Blocking', '🟠 Important', '🟡 Nit'], index);
  return `## ${severity}: ${title}

**Where:** [\`${pick(files, n + index)}\`](https://github.com/acme/shop/blob/main/${pick(files, n + index)}#L${40 + index})

${why}

${pick(code, n + index)}

Suggested change: move the call out of the loop and pass the result down.`;
}).join('\n\n---\n\n')}
`;

const plan = (n: number) => `# Plan: move ${pick(services, n)} to the new queue

We can do this without downtime in ${3 + (n % 4)} phases.

${table(
  ['Phase', 'What', 'Risk', 'Owner'],
  times(3 + (n % 4), (index) => [
    index + 1,
    `Switch \`${pick(services, n + index)}\` to dual writes`,
    pick(['low', 'medium', 'high'], index),
    pick(['@backend', 'platform team', 'on-call'], index),
  ]),
)}

## Rollback

1. Set \`QUEUE_DUAL_WRITE=false\`.
2. Wait until \`queue_lag_seconds\` is below 5.
3. Remove the consumer: \`kubectl scale deploy/${pick(services, n)}-consumer --replicas=0\`

## Open questions

- [ ] Do we need to keep the order of messages for *${pick(services, n + 1)}*?
- [x] Is the new cluster in the same region? Yes.
`;

const logLine = (n: number) => (index: number) =>
  `2026-11-${String(1 + (n % 28)).padStart(2, '0')}T09:${String(index % 60).padStart(2, '0')}:12.${100 + (index % 900)}Z ${pick(['INFO', 'WARN', 'ERROR', 'DEBUG'], index)} [${pick(services, n + index)}] ${pick(tests, index)} (${(index * 37) % 900} ms)`;

const logs = (
  n: number,
) => `The build fails in the step **${pick(services, n)} › test**. These are the last lines:

\`\`\`
${times(10 + n * 12, logLine(n)).join('\n')}
Error: connect ECONNREFUSED 127.0.0.1:5432
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)
\`\`\`

The database container isn't ready when the tests begin. Adding a health check to \`docker-compose.ci.yml\` fixes it.
`;

const hunk = (n: number) => (index: number) =>
  `@@ -${10 + index * 20},6 +${10 + index * 20},7 @@ export function step${index}(order: Order) {
   const lines = order.lines.filter(({ quantity }) => quantity > 0);
-  const total = sum(lines.map(({ price }) => price));
+  const total = sum(lines.map(({ price, quantity }) => price * quantity));
+  audit.record('${pick(services, n + index)}', { total });
   return { ...order, total };
 }`;

const diff = (n: number) => `I changed ${1 + (n % 9)} places. This is the whole patch:

\`\`\`diff
diff --git a/${pick(files, n)} b/${pick(files, n)}
index 3f1c2ab..9be04d1 100644
--- a/${pick(files, n)}
+++ b/${pick(files, n)}
${times(1 + n * 2, hunk(n)).join('\n')}
\`\`\`

Run \`git apply\` to try it. Nothing else was touched.
`;

const incident = (
  n: number,
) => `# Incident summary: ${pick(services, n)} was slow for ${17 + n} minutes

**Impact:** ${3 + n}% of requests timed out.

## Timeline

${times(4 + n, (index) => `- **09:${String(10 + (index % 50)).padStart(2, '0')} UTC** ${pick(findings, n + index)[0]}`).join('\n')}

## Root cause

${pick(findings, n)[1]}

## Actions

${table(
  ['Action', 'Owner', 'Due'],
  times(2 + (n % 5), (index) => [
    `Alert on \`${pick(services, index)}_p99 > 800ms\``,
    'SRE',
    `Nov ${10 + index}`,
  ]),
)}
`;

export const workAnswers: readonly [kind: string, count: number, write: (n: number) => string][] = [
  ['report', 18, report],
  ['review', 18, review],
  ['plan', 12, plan],
  ['log', 14, logs],
  ['diff', 14, diff],
  ['incident', 12, incident],
];
