// The browser.
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";

// launch starts the browser that the variable CHROMIUM names.
export function launch() {
  return chromium.launch({ executablePath: executable(), args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

// executable finds the browser as a shell does. Playwright's own download is not used.
function executable() {
  const want = process.env.CHROMIUM ?? "chromium";
  const found = process.env.PATH.split(":").map((dir) => path.resolve(dir, want)).find((file) => fs.existsSync(file));
  if (!found) throw new Error(`${want} is missing: conformance/browser/install`);
  return found;
}
