/**
 * `npm run preview` writes one HTML page and PNGs of everything that people see, rendered by the stand-in's components.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { previewCases } from './preview-cases.ts';
import { takePictures } from './take-pictures.ts';

const folder = 'preview/';
const entry = 'packages/slack-stand-in/src/page/preview/preview.tsx';

const { outputFiles } = await build({
  entryPoints: [entry],
  bundle: true,
  minify: true,
  write: false,
  outdir: folder,
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.woff2': 'dataurl', '.svg': 'dataurl', '.png': 'dataurl' },
  logLevel: 'warning',
});
const output = (ending: string) =>
  outputFiles
    .find(({ path }) => path.endsWith(ending))
    ?.text.replaceAll('</script', '<\\/script') ?? '';
const cases = JSON.stringify(previewCases).replaceAll('<', '\\u003c');

mkdirSync(folder, { recursive: true });
writeFileSync(
  `${folder}index.html`,
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>slash-agent: what people see</title>
<style>${output('.css')}</style>
</head>
<body>
<main id="preview"></main>
<script type="application/json" id="cases">${cases}</script>
<script>${output('.js')}</script>
</body>
</html>
`,
);
const page = new URL(`${folder}index.html`, `file://${process.cwd()}/`);
process.stdout.write(`${fileURLToPath(page)}\n`);
process.stdout.write(`${await takePictures(page.href, folder)}\n`);
