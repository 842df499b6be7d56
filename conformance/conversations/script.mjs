// The words that the scripted agents understand, whatever protocol they speak: "weather" is a tool of the agent's, "delete" one
// that needs approval, "ask" one that the client runs; "asks" and "deletes" are two calls of it at once, "both" one of the agent's
// and one of the client's; "which" asks the user something that is no yes or no; "slow" is ten seconds of words, "boom" a failure after the first words, "recall" says what the model
// was shown of the turns before.
// The word is followed by a key, by which a conversation finds what the agent noted of it. Anything else is answered with the
// number of the user's turns that the model was shown: the history arrived once if it is right.

// play is what the model says. Its input: users, what the user said, turn by turn; agent, what the model said; calls {name, args,
// result} with their results; results {name, text} if they are the newest; the names of the tools that may be called.
export function play({ users, agent, calls, results, tools }) {
  if (results.length > 0) return scene("", ["Results: ", results.map((r) => `${r.name}=${r.text}`).join("; ")]);
  const turn = users.length;
  const said = users.at(-1) ?? "";
  const at = said.indexOf(" ");
  const key = said.slice(at + 1);
  const scripted = scripts[said.slice(0, at)];
  if (said.startsWith("recall ")) return scene(key, [`Turn ${turn}: `, recall(users.slice(0, -1), agent, calls)]);
  if (!scripted) return scene(key, [`Turn ${turn}: `, `you said ${said}`]);
  const scripting = scripted(key, turn);
  const unknown = scripting.calls.find((c) => !tools.includes(c.name)); // a model can call only the tools of the request
  return unknown ? scene(key, [`There is no tool ${unknown.name}.`]) : scripting;
}

const scripts = {
  weather: (key, turn) => scene(key, ["Looking. "], [weather(turn)]),
  delete: (key, turn) => scene(key, [], [deletion(turn, key)]),
  deletes: (key, turn) => scene(key, [], [deletion(turn, key), deletion(turn, key, "-2")]),
  ask: (key, turn) => scene(key, [], [asking(turn)]),
  asks: (key, turn) => scene(key, ["Asking. "], [asking(turn), asking(turn, "-2")]),
  both: (key, turn) => scene(key, [], [weather(turn), asking(turn)]),
  which: (key, turn) => scene(key, [], [choosing(turn)]),
  slow: (key) => ({ ...scene(key, Array.from({ length: 100 }, (_, n) => `w${n} `)), delay: 100 }),
  boom: (key) => ({ ...scene(key, ["Some words"]), fails: "the model fell over" }),
};

function recall(users, agent, calls) {
  return JSON.stringify({ users, agent: agent.join(""), calls: calls.map((c) => [c.name, c.args, c.result]) });
}

function scene(key, words, calls = []) {
  return { key, words, calls, fails: undefined, delay: 0 };
}

const weather = (turn) => ({ id: `call_w${turn}`, name: "get_weather", args: { city: "Oslo" } });
const deletion = (turn, key, nth = "") => ({ id: `call_d${turn}${nth}`, name: "delete_file", args: { path: key + nth } });
const choosing = (turn) => ({ id: `call_c${turn}`, name: "choose_colour", args: { question: "Which colour?", options: ["red", "blue"] } });
const asking = (turn, nth = "") => ({ id: `call_a${turn}${nth}`, name: "ask_user", args: { question: `Which city${nth}?` } });
