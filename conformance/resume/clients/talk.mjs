// What all drivers share. A driver is an application with that client, and says in `back` how it comes back to a run. client.open(target)
// makes one, at target.url, as target.principal, which is said by the header field client.field if not by Authorization; what it says to the
// agent is target.key. It has
//
//	read()       begins a run and shows it, coming back when the stream breaks
//	names        what another client has to know to come to this run
//	come(names)  shows a run that another one has begun
//	shown()      the text so far
//	close()      ends it, if it is more than requests
//
// client.streams is what the requests hold whose streams are cut, where there are others. A nameless client's connection does not say how
// its run is called, and an endless one's history not how a run has ended.
// A client that counts gets no snapshot: it finds its place by the numbers of records.
// client.ready waits until it can begin. A lasting one's connection outlives its requests.
// A client that stays needs no reader for its run to go on; one that comesLater begins to read when the run has begun.
//
// read and come resolve to {text, failed}: what is shown at the end, and why that is not the whole, if the client knows. A
// client that does not see a break takes a part for the whole, which is what must not happen.

const most = 5; // a stream breaks more seldom

// persist reads a stream, and again by other means for as long as it breaks. over reports whether it has come to its end.
export async function persist(first, again, over) {
  let broke;
  for (let n = 0; n < most; n++) {
    try {
      await (n === 0 ? first() : again());
      if (over()) return undefined;
      broke = new Error("the stream ends before the run does");
    } catch (err) {
      broke = err;
      if (err.final) break;
    }
  }
  return broke.message;
}

// last is an error that coming back does not help against.
export const last = (message) => Object.assign(new Error(message), { final: true });

// authorized is a fetch that says who asks, for clients that have no other place for it.
export const authorized = (principal, note = () => {}, field = "authorization") => async (url, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set(field, principal);
  const response = await fetch(url, { ...init, headers });
  note(response);
  return response;
};
