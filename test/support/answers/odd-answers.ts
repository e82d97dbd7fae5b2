/** Unusual answers: very short ones, other languages, huge lines, and attacks by a hostile agent. */
import { findings, pick, services, table, times } from './words.ts';

const short = [
  'Done.',
  'There are 17 TODO comments, most of them in `src/checkout/apply-discount.ts`.',
  'Yes, `main` is protected: two approvals, and **CI must pass**.',
  'No changes were necessary.\n\nThe test was already fixed in https://github.com/acme/shop/pull/812.',
  '✅ All 214 tests pass.',
  'I could not reproduce it. Which version of Node do you use?',
  '42',
  '1. Rebased onto `main`\n2. Resolved 3 conflicts\n3. Pushed `fix/cart-total`',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '`npm ci && npm test`',
];

const languages = [
  '# 調査結果\n\n割引が二重に適用される原因は `mergeCarts()` です。カートを結合するときに、割引を**もう一度**計算しています。\n\n- 修正: `src/checkout/cart-total.ts`\n- テスト: 3件追加しました\n\n| ファイル | 変更 |\n|---|---|\n| `cart-total.ts` | 割引は一度だけ |\n',
  '## 总结\n\n问题出在 `retry.ts`：每次重试都会生成新的幂等键，所以可能会**重复扣款**。\n\n1. 把幂等键移到循环外面\n2. 增加回归测试\n3. 更新文档\n\n> 注意：旧版客户端不受影响。\n',
  '### 결과\n\n세션은 비밀번호를 바꿔도 남아 있습니다. `session_store.go`에서 고쳤고 테스트 7개가 통과합니다.\n\n```go\nstore.DeleteAll(ctx, userID)\n```\n',
  '# ملخص\n\nالخصم يُطبَّق مرتين عند دمج السلال. أصلحتُ ذلك في `cart-total.ts` وأضفتُ ثلاثة اختبارات.\n\n- الملف: `src/checkout/cart-total.ts`\n- الحالة: **جاهز للمراجعة**\n',
  '## סיכום\n\nההנחה מחושבת פעמיים כשממזגים עגלות. התיקון נמצא ב־`cart-total.ts`.\n\n1. תיקון\n2. בדיקות\n3. תיעוד\n',
  '🎉🎉🎉 **Released v2.4.0** 🎉🎉🎉\n\n- 👩‍💻 12 contributors\n- 🐛 31 bugs fixed\n- 🏳️‍🌈 new themes\n- 🇯🇵🇧🇷🇫🇷 translations\n\n## 🚀 Next\n\n👨‍👩‍👧‍👦 family accounts\n',
  'สรุป: ส่วนลดถูกคำนวณสองครั้งเมื่อรวมตะกร้า แก้ไขแล้วใน `cart-total.ts`\n\nहिंदी: छूट दो बार लागू होती थी। अब एक ही बार लागू होती है।\n',
];
/** Returns one language per answer first, then mixtures that are too long for a message. */
const language = (n: number) =>
  n < languages.length
    ? pick(languages, n)
    : times(6 + n * 4, (index) => pick(languages, n + index).replace(/\|.*\n/g, '')).join('\n\n');

const line = [
  (n: number) =>
    `\`\`\`json\n${JSON.stringify(times(40 * (n + 1), (id) => ({ id, service: pick(services, id), ok: true })))}\n\`\`\``,
  (n: number) =>
    `The bundle begins with: ${'!function(e,t){"use strict";t.exports=e}('.repeat(60 * (n + 1))}`,
  (n: number) => `${'eyJhbGciOiJub25lIn0'.repeat(100 * (n + 1))} isn't a valid token.`,
];

const hostile: readonly string[] = [
  '```\nnever closed\n# and a heading in it\n| a |\n|---|',
  `${'```js\n'.repeat(40)}let x;`,
  '#'.repeat(10_000),
  '# \n'.repeat(200),
  `# ${'A title that goes on and on, '.repeat(20)}`,
  '---\n'.repeat(1_000),
  '* * *\n\n'.repeat(45),
  `${'>'.repeat(3_000)} deep`,
  times(200, (depth) => `${'>'.repeat(depth)} level ${depth}`).join('\n'),
  times(120, (depth) => `${'  '.repeat(depth)}- level ${depth}`).join('\n'),
  '- '.repeat(4_000),
  '1. '.repeat(2_500),
  '<table><tr><td>a</td></tr></table>\n\n<details><summary>More</summary>\n\n# Inside\n\n</details>',
  `${'<div>\n\n'.repeat(300)}text`,
  '<script>alert(1)</script>\n\n<!-- never closed',
  `${'[a]('.repeat(1_000)}x`,
  `${'*'.repeat(5_000)} bold?`,
  `${'| a '.repeat(500)}|\n${'|---'.repeat(500)}|\n`,
  '| a | b |\n|---|---|\n| only one cell |\n| 1 | 2 | 3 |\n',
  `- a list\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n\n${table(['x'], [['y']])}\n\n> | q |\n> |---|\n> | r |`,
  '<@U04ADALOVEL> <!channel> @here [click](https://evil.example) <https://evil.example|acme.com>',
  `a\n===\n\nb\n---\n\n${'c\n=\n\n'.repeat(60)}`,
  '\u202eright to left override\u202c and \u0000 and \u200b\u200b\u200b zero width',
  `${'\\'.repeat(999)}*${'_'.repeat(999)}`,
  times(90, (index) => `${pick(findings, index)[0]}.`).join('\n\n'),
  'x'.repeat(11_000),
  `${'word '.repeat(2_200)}`,
];

const chosen =
  (texts: readonly string[]) =>
  (n: number): string =>
    pick(texts, n);

export const oddAnswers: readonly [kind: string, count: number, write: (n: number) => string][] = [
  ['short answer', short.length, chosen(short)],
  ['other language', 12, language],
  ['huge line', 9, (n) => pick(line, n)(Math.floor(n / 3))],
  ['hostile Markdown', hostile.length, chosen(hostile)],
];
