// Opens reports in headless Chromium and looks for what must not be there: scripts that run, requests, violations of the
// page's own policy, faults of accessibility, and content that is wider than the window.
//
// Usage: node check.js MODULES FILE...    MODULES is a folder with playwright-core and axe-core in node_modules.

const fs = require('fs');
const path = require('path');

const [modules, ...files] = process.argv.slice(2);
const load = (name) => path.join(modules, 'node_modules', name);
const { chromium } = require(load('playwright-core'));
const axe = fs.readFileSync(path.join(load('axe-core'), 'axe.min.js'), 'utf8');

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = programs.find((program) => fs.existsSync(program));
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];

const faults = [];

async function check(browser, file, width, colorScheme) {
  const fault = (what) => faults.push(`${path.basename(file)} at ${width}, ${colorScheme}: ${what}`);
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  page.on('console', (message) => fault(`the console says: ${message.text()}`));
  page.on('pageerror', (error) => fault(`a script failed: ${error.message}`));
  page.on('dialog', async (dialog) => { fault(`a dialog opened: ${dialog.message()}`); await dialog.dismiss(); });
  page.on('request', (request) => {
    if (request.url() !== `file://${file}`) fault(`it asked for ${request.url().slice(0, 200)}`);
  });
  await page.goto(`file://${file}`);
  const loaded = await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd);
  const seen = await page.evaluate(() => {
    document.querySelectorAll('details').forEach((part) => { if (document.querySelectorAll('details').length < 3000) part.open = true; });
    const scripts = document.querySelectorAll('script, iframe, object, embed, link, img, base, form, foreignObject').length;
    const handlers = [...document.querySelectorAll('*')].filter((one) =>
      [...one.attributes].some((attribute) => /^on/i.test(attribute.name) || attribute.name === 'style' || /javascript:/i.test(attribute.value))).length;
    return {
      ran: window.ran, scripts, handlers,
      wide: document.documentElement.scrollWidth - window.innerWidth,
      styled: getComputedStyle(document.querySelector('section')).borderTopLeftRadius,
      lang: document.documentElement.lang, title: document.title,
    };
  });
  if (seen.ran) fault('text of others has run');
  if (seen.scripts) fault(`it has ${seen.scripts} elements that load or run something`);
  if (seen.handlers) fault(`it has ${seen.handlers} elements with handlers or styles of their own`);
  if (seen.wide > 0) fault(`it is ${seen.wide} pixels too wide`);
  if (seen.styled === '0px') fault('its style sheet was not applied');
  if (!seen.lang || !seen.title) fault('it lacks its language or its title');
  await page.keyboard.press('Tab');
  const first = await page.evaluate(() => document.activeElement.className);
  if (first !== 'skip') fault(`the first stop of the keyboard is not the skip link but "${first}"`);
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  for (const violation of found.violations) {
    fault(`axe: ${violation.id}: ${violation.help}: ${violation.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
  }
  await page.close();
  console.log(`${path.basename(file)} at ${width}, ${colorScheme}: loaded in ${Math.round(loaded)} ms, ${found.passes.length} rules of axe passed`);
}

(async () => {
  const browser = await chromium.launch({ executablePath, args });
  for (const file of files.map((file) => path.resolve(file))) {
    const views = process.env.SHORT ? [[400, 'dark']] : [[400, 'light'], [1000, 'dark'], [1600, 'light']];
    for (const [width, scheme] of views) await check(browser, file, width, scheme);
  }
  await browser.close();
  faults.forEach((fault) => console.error(fault));
  process.exit(faults.length ? 1 : 0);
})().catch((error) => { console.error(error); process.exit(2); });
