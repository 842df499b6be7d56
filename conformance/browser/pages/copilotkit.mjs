// Where things are on the page of examples/copilotkit. CopilotKit's own parts have test ids; the cards are the page's.
const states = { complete: "done" };

export const copilotkit = {
  async say(tab, text) {
    await tab.getByTestId("copilot-chat-textarea").fill(text);
    await tab.getByTestId("copilot-send-button").click();
  },
  // An answer may be several messages, and a card stands inside of one.
  answers: (tab) => tab.evaluate(() => {
    const answers = [];
    for (const m of document.querySelectorAll("[data-testid$=-user-message], [data-testid$=-assistant-message]")) {
      if (m.dataset.testid === "copilot-user-message") answers.push("");
      else answers.push([answers.pop(), ...[...m.querySelectorAll("p:not(.tool *)")].map((p) => p.textContent)].join(" "));
    }
    return answers;
  }),
  idle: async (tab) => (await tab.locator("[data-copilot-running=true]").count()) === 0,
  async tool(tab, name) {
    const card = tab.locator(`[data-tool=${name}]`);
    if ((await card.count()) !== 1) return { state: `${await card.count()} cards` };
    const state = (await tab.getByRole("button", { name: "Approve" }).count()) === 1 ? "asks" : await card.getAttribute("data-state");
    return { state: states[state] ?? state, text: await card.innerText() };
  },
  decide: (tab, answer) => tab.getByRole("button", { name: answer }).click(),
  stop: (tab) => tab.getByTestId("copilot-send-button").click(),
};
