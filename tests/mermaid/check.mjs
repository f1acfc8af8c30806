// Reads a drawing of `git arborist status --mermaid` from standard input with Mermaid's own parser, and lists what it has
// understood. It needs the packages mermaid and jsdom:
//
//     npm install --prefix /tmp/mermaid mermaid jsdom
//     cp tests/mermaid/check.mjs /tmp/mermaid && git arborist status --mermaid | node /tmp/mermaid/check.mjs
import { JSDOM } from 'jsdom';

const page = new JSDOM('<!DOCTYPE html><body></body>');
globalThis.window = page.window;
globalThis.document = page.window.document;
const { default: mermaid } = await import('mermaid');

let text = '';
for await (const piece of process.stdin) text += piece;
await mermaid.parse(text);
const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
for (const [id, box] of db.getVertices()) if (box.text) console.log(id, JSON.stringify(box.text));
for (const { start, end } of db.getEdges()) console.log(start, '->', end);
