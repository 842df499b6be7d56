// Where things are on the page of examples/usechat.
const states = { "output-available": "done", "output-denied": "denied", "approval-requested": "asks" };

export const usechat = {
  async say(tab, text) {
    await tab.getByLabel("Message").fill(text);
    await tab.getByRole("button", { name: "Send" }).click();
  },
  answers: (tab) => tab.locator("article.assistant").evaluateAll((all) => all.map((a) => [...a.querySelectorAll(":scope > p")].map((p) => p.textContent).join(" "))),
  idle: async (tab) => (await tab.getByRole("button", { name: "Stop" }).count()) === 0,
  async tool(tab, name) {
    const card = tab.locator(`[data-tool=${name}]`);
    if ((await card.count()) !== 1) return { state: `${await card.count()} cards` };
    const state = await card.getAttribute("data-state");
    return { state: states[state] ?? state, text: await card.innerText() };
  },
  decide: (tab, answer) => tab.getByRole("button", { name: answer }).click(),
  stop: (tab) => tab.getByRole("button", { name: "Stop" }).click(),
};
