// test/bench/run.ts
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
var root = fileURLToPath(new URL("..", import.meta.url));
var names = readdirSync(`${root}test/bench`).filter((file) => file.endsWith(".bench.ts")).map((file) => file.slice(0, -".bench.ts".length));
async function runBench(name2, rest2) {
  const outfile = `${root}.bench/${name2}.bench.js`;
  await build({
    entryPoints: [`${root}test/bench/${name2}.bench.ts`],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    outfile
  });
  const child = spawn(process.execPath, ["--expose-gc", outfile, ...rest2], { stdio: "inherit" });
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}
var [name, ...rest] = process.argv.slice(2);
if (name === void 0 || !names.includes(name)) {
  process.stderr.write(`Which benchmark? npm run bench -- ${names.join(" | ")}
`);
  process.exitCode = 2;
} else {
  process.exitCode = await runBench(name, rest);
}
