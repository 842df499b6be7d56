// Spoilt scenes: each has one fault, which the scene must notice with this complaint.
export const controls = {
  "wrong text": { scene: "tool", spoil: replaces("rain.", "hail."), complaint: /want an answer that ends with .*see .*hail/ },
  "wrong result": { scene: "tool", spoil: replaces("light rain", "hail"), complaint: /the card shows the result/ },
  "text at once": { scene: "stops", spoil: replaces("", ""), complaint: /want the first line, see ""/ },
  "lost turn": { scene: "turns", spoil: forgets, complaint: /want .*question 2.*see .*question 1/ },
  "page error": { scene: "turns", spoil: throws, complaint: /the browser reports nothing[^]*page: spoilt/ },
};

// replaces changes words of what the page receives, which comes all at once then.
function replaces(word, other) {
  return ({ tab }) => tab.route("**/*", async (route) => {
    if (!toSabir(route)) return route.continue();
    const response = await route.fetch();
    return route.fulfill({ response, body: (await response.text()).replaceAll(word, other) });
  });
}

// forgets takes the turns before the last from what the page sends.
function forgets({ tab }) {
  return tab.route("**/*", (route) => {
    if (!toSabir(route)) return route.continue();
    const body = JSON.parse(route.request().postData());
    return route.continue({ postData: JSON.stringify({ ...body, messages: body.messages.slice(-1) }) });
  });
}

function throws({ tab }) {
  return tab.addInitScript(() => setTimeout(() => { throw new Error("spoilt"); }));
}

const toSabir = (route) => route.request().method() === "POST";
