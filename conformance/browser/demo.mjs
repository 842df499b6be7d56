// "sabir demo" and its pages, for tests in a browser.

export const limit = 15_000;

// ready resolves to the addresses that the demo prints.
export function ready(demo) {
  return new Promise((resolve, reject) => {
    demo.on("exit", () => reject(new Error(`the demo has ended:\n${demo.log}`)));
    demo.stdout.on("data", () => {
      if (!demo.log.includes("Ctrl-C")) return;
      const [base, url, frontEnds] = [/for clients\s+(\S+)/, /look at the runs\s+(\S+)/, /two front ends, live\s+(\S+)/].map((line) => line.exec(demo.log)[1]);
      resolve({ base, url, frontEnds });
    });
  });
}

// opened is a page with the list of complaints of its browser. It may call its own server, and those named.
export async function opened(browser, url, { spoil = async () => {}, calls = [] } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, colorScheme: "light", acceptDownloads: true });
  const tab = await context.newPage();
  const complaints = [];
  const allowed = [new URL(url).origin, ...calls];
  tab.setDefaultTimeout(limit);
  tab.on("console", (m) => { if (m.type() === "error") complaints.push(`console: ${m.text()}`); });
  tab.on("pageerror", (err) => complaints.push(`page: ${err.message}`));
  tab.on("dialog", (d) => { complaints.push(`dialog: ${d.message()}`); d.dismiss(); });
  tab.on("request", (r) => { if (!allowed.includes(new URL(r.url()).origin) && !r.url().startsWith("blob:")) complaints.push(`request to ${r.url()}`); });
  await spoil(tab);
  await tab.goto(url);
  return { context, tab, complaints, url };
}

export const seen = (tab, selector, text) => tab.locator(selector, { hasText: text }).first().waitFor();

// replaced spoils a file of a page: where from stands, to is served.
export const replaced = (file, from, to) => (tab) => tab.route(`**/${file}`, async (route) => {
  const response = await route.fetch();
  const body = await response.text();
  if (!body.includes(from)) throw new Error(`${file} has no ${from}`);
  return route.fulfill({ response, body: body.replace(from, to) });
});
