// A session of a user with a page: the browser's window, what is said and seen in it, and what goes wrong behind it.
import assert from "node:assert/strict";
import { sleep } from "../conversations/clients/talk.mjs";

const timeout = 15_000;

export class Session {
  complaints = []; // what the browser reports

  // begin opens a window. world is what the page has behind it, beside the log.
  static async begin({ browser, url, page, world, log }) {
    const session = new Session();
    const context = await browser.newContext({ viewport: { width: 900, height: 700 }, colorScheme: "light" });
    Object.assign(session, { context, tab: await context.newPage(), at: page, url, world, log, start: log().length });
    session.tab.setDefaultTimeout(timeout);
    session.tab.setDefaultNavigationTimeout(4 * timeout); // the first load makes Vite pack what the page needs
    session.listen();
    return session;
  }

  listen() {
    this.tab.on("console", (m) => { if (m.type() === "error") this.complaints.push(`console: ${m.text()}`); });
    this.tab.on("pageerror", (err) => this.complaints.push(`page: ${err.message}`));
    this.tab.on("response", (r) => { if (r.status() >= 400) this.complaints.push(`${r.status()} ${r.url()}`); });
  }

  async open() {
    await this.tab.goto(this.url);
  }

  async say(text) {
    await this.at.say(this.tab, text);
  }

  // sees waits until the newest answer ends with the words, and nothing is running any more.
  async sees(words) {
    await this.until(`an answer that ends with ${JSON.stringify(words)}`, async () => {
      const text = await this.answer();
      return (await this.at.idle(this.tab)) && text.endsWith(words) ? true : text;
    });
  }

  // answer is the text of the newest answer, as it is seen.
  async answer() {
    return (await this.at.answers(this.tab)).at(-1)?.replaceAll(/\s+/g, " ").trim() ?? "";
  }

  // settled resolves to the newest answer once it is as it was half a second ago: a page may show what it has received later.
  async settled() {
    let seen;
    await this.until("an answer that settles", async () => {
      seen = await this.answer();
      await sleep(500);
      return seen === await this.answer() || seen;
    });
    return seen;
  }

  // until waits for something that can be true, and says what was there instead.
  async until(what, look) {
    let seen;
    for (const end = Date.now() + timeout; Date.now() < end; await sleep(30)) {
      if ((seen = await look()) === true) return;
    }
    throw new Error(`want ${what}, see ${JSON.stringify(seen)}`);
  }

  // printed reports whether the agent has printed the words since this session began.
  printed(words) {
    return this.log().slice(this.start).includes(words);
  }

  quiet() {
    assert.deepEqual(this.complaints, [], "the browser reports nothing");
  }

  async picture(file) {
    await this.tab.screenshot({ path: file });
  }

  async pictures(file) {
    await this.picture(file);
    await this.tab.emulateMedia({ colorScheme: "dark" });
    await this.picture(file.replace(/png$/, "dark.png"));
    await this.tab.setViewportSize({ width: 360, height: 640 });
    await this.picture(file.replace(/png$/, "narrow.png"));
  }

  async leave() {
    await this.tab.unrouteAll({ behavior: "ignoreErrors" }); // what a control holds back
    await this.context.close();
  }
}
