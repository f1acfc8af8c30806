// A scripted worker that does a whole task over `git arborist mcp`, with an official SDK: client.mjs PLACE SDK MODE PROGRAM FOLDER
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [place, sdk, mode, program, folder] = process.argv.slice(2);
const require = createRequire(join(place, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const [clients, transports] =
  sdk === "node"
    ? [await load("@modelcontextprotocol/client"), await load("@modelcontextprotocol/client/stdio")]
    : [await load("@modelcontextprotocol/sdk/client/index.js"), await load("@modelcontextprotocol/sdk/client/stdio.js")];
const from = (name) => clients[name] ?? clients.default?.[name] ?? transports[name] ?? transports.default?.[name];

async function open(name) {
  const Client = from("Client");
  const StdioClientTransport = from("StdioClientTransport");
  const client = new Client({ name, version: "1.0" }, sdk === "node" ? { versionNegotiation: { mode } } : {});
  const transport = new StdioClientTransport({ command: program, args: ["mcp"], cwd: folder, env: process.env });
  await client.connect(transport);
  return client;
}

const tell = (event) => console.log(JSON.stringify(event));

async function call(client, name, args = {}, options) {
  const params = { name, arguments: args };
  const result = sdk === "node" ? await client.callTool(params, options) : await client.callTool(params, undefined, options);
  if (JSON.stringify(JSON.parse(result.content[0].text)) !== JSON.stringify(result.structuredContent)) {
    throw new Error(`text and structure differ: ${result.content[0].text}`);
  }
  tell({ tool: name, bytes: JSON.stringify(result).length, isError: result.isError ?? false, ...result.structuredContent });
  return result;
}

// What the worker writes for a step.
function work(unit) {
  const prompt = unit.prompt ?? (unit.prompt_file ? readFileSync(unit.prompt_file, "utf8") : "");
  if (unit.step !== "complete" && !prompt.includes(unit.task)) throw new Error(`no prompt: ${JSON.stringify(unit)}`);
  if (unit.step === "red") {
    mkdirSync(join(folder, "tests"), { recursive: true });
    writeFileSync(join(folder, "tests/check.sh"), "echo looking; grep -q right T001.txt\n");
  } else if (unit.step === "implement") {
    writeFileSync(join(folder, "T001.txt"), unit.attempt === 0 ? "wrong\n" : "right\n");
  }
}

const one = await open("First Worker");
const two = await open("Second Worker");
tell({ version: one.getNegotiatedProtocolVersion?.() ?? one.getProtocolVersion?.() ?? null, tools: await one.listTools() });
await call(one, "run_status");
for (let count = 0; count < 9; count += 1) {
  const { structuredContent: unit } = await call(one, "unit_next");
  if (unit.unit === null) break;
  const { structuredContent: other } = await call(two, "unit_next");
  work(unit);
  const note = "All tests pass, 99 of 99.";
  let progress = 0;
  const onprogress = () => (progress += 1);
  const done = await call(one, "unit_done", { unit: unit.unit, note }, { onprogress });
  tell({ progress });
  // The other client has got the same unit.
  const stale = await call(two, "unit_done", { unit: other.unit });
  if (!stale.isError || done.isError) throw new Error("both have handed in the same unit");
}
await call(two, "run_status");
await one.close();
await two.close();
