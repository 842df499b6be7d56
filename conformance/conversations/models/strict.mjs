// What the strict servers share: they refuse a request with the first reason that they find.
export class Refused extends Error {}

export function demand(ok, reason) {
  if (!ok) throw new Refused(reason);
}

// only refuses members that the API does not know, and a list or a null in place of an object.
export function only(value, where, known) {
  demand(value !== null && typeof value === "object" && !Array.isArray(value), `${where}: want an object, got ${JSON.stringify(value)}`);
  for (const name of Object.keys(value)) demand(known.includes(name), `${where}: unknown member ${JSON.stringify(name)}`);
}

export function text(value, where) {
  demand(typeof value === "string", `${where}: want a string, got ${JSON.stringify(value)}`);
  return value;
}

export function list(value, where) {
  demand(Array.isArray(value) && value.length > 0, `${where}: want a list that is not empty, got ${JSON.stringify(value)}`);
  return value;
}

export function jsonText(value, where) {
  try {
    return JSON.parse(text(value, where));
  } catch (err) {
    if (err instanceof Refused) throw err;
    throw new Refused(`${where}: want JSON in a string, got ${JSON.stringify(value)}`);
  }
}

export function schema(value, where) {
  demand(value?.type?.toLowerCase() === "object", `${where}: want a schema of type object, got ${JSON.stringify(value)}`);
}

// Open are the calls that wait for their results. Every call has one result, before anything else is said.
export class Open {
  calls = new Map();

  call(id, call, where) {
    demand(!this.calls.has(id), `${where}: the call ${id} comes twice`);
    this.calls.set(id, call);
  }

  // result is the call that is answered.
  result(id, where) {
    demand(this.calls.has(id), `${where}: a result without a call: ${id}`);
    const call = this.calls.get(id);
    this.calls.delete(id);
    return call;
  }

  none(where) {
    demand(this.calls.size === 0, `${where}: calls without results: ${[...this.calls.keys()].join(", ")}`);
  }
}

// History gathers what the script needs of a request.
export class History {
  users = [];
  agent = [];
  calls = [];
  results = [];

  constructor(tools) {
    this.tools = tools;
  }

  user(said) {
    this.users.push(said);
    this.results = [];
  }

  model(said) {
    this.agent.push(said);
    this.results = [];
  }

  // called is a call that was answered.
  called({ name, args }, result) {
    this.calls.push({ name, args, result });
    this.results.push({ name, text: result });
  }
}

export const event = (data, name) => `${name ? `event: ${name}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
