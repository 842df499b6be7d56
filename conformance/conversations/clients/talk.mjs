// What all drivers of clients share. A driver holds one conversation as an application with that client would:
//
//	say(text)       a turn of the user's; resolves to what the user sees once the run is over, however it ended
//	answer(result)  gives the result of the calls that the client was asked to run, and goes on
//	decide(...yes)  answers the questions whether a tool may run, in their order, and goes on
//	reply(text)     answers a question that is no yes or no
//	regenerate()    asks for the last answer anew
//	edit(text)      takes back the last two turns of the user's, and says something else in place of the first of them
//	reload()        begins anew as a page that is loaded again, or an application that is started again, with what it keeps: the messages, or
//	                what names the conversation
//	stop()          gives the run up
//	shown()         what the user sees of the answer so far
//	close()         ends the client, if it is more than requests
//
// What the user sees: text of the answer to the last turn, calls that are the client's to run {name, args}, questions that wait for
// a decision, failed with the reason if the run failed, and turns, the number of turns of the user's on the screen.

export const question = "Which city?";

// askUser is the tool that clients bring which can.
export const askUser = {
  name: "ask_user", description: "Asks the user.",
  schema: { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
};

// until waits for words on the screen.
export async function until(talk, words, ms) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(10)) {
    if (talk.shown().includes(words)) return;
  }
  throw new Error(`${JSON.stringify(words)} is not shown within ${ms / 1000} s, but ${JSON.stringify(talk.shown())}`);
}

// kept is what an application has of a value that it has stored: JSON.
export const kept = (value) => JSON.parse(JSON.stringify(value));

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// counting is a fetch that ends conversations which never end by themselves.
export function counting(most = 12) {
  let calls = 0;
  return (url, init) => {
    if (++calls > most) throw new Error(`the client has made ${most} requests, and wants another`);
    return fetch(url, init);
  };
}
