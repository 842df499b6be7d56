// What the names of repairs, fates and endings mean, in words.

export const repairs = {
  part_reopened: "The agent wrote to a text that it had already ended. Sabir opened a new part for it.",
  text_repeated: "The agent said a text again that the client already has. Sabir left the repetition out.",
  text_tail: "The full text at the end was longer than its deltas. Sabir sent the missing rest.",
  text_diverged: "The full text at the end differs from its deltas.",
  held: "An update came before the tool call that it belongs to. Sabir held it back, and only it, until the call was there.",
  hold_expired: "Something was held back for a start that did not come in time. Sabir let it go on without.",
  start_made: "Something began without a start. Sabir wrote the start that was missing.",
  start_repeated: "The same thing was started twice. Sabir left the second start out.",
  ready_made: "The agent never said that the arguments of a call were complete. Sabir said it for the agent.",
  late_args: "Arguments came after the call was complete. Sabir left them out.",
  late_update: "An update came after the call had ended. Sabir left it out.",
  late_output: "Output came after the call had ended. Sabir left it out.",
  late_ask: "A question came after the call that it is about had ended.",
  args_differ: "The complete arguments differ from the fragments that came before.",
  args_cut: "The arguments reached their limit and were cut.",
  result_cut: "The result reached its limit and was cut.",
  end_repeated: "Something was ended twice. Sabir left the second end out.",
  end_made: "Something was never ended. Sabir ended it, so that no client waits for it.",
  lane_made: "A sub-agent spoke that had not been announced. Sabir announced it.",
  lane_reopened: "A sub-agent spoke after its end. Sabir opened it again.",
  second_end: "The run was ended twice. Only the first end counts.",
  second_start: "The run was started twice. Only the first start counts.",
  after_end: "Something came after the end of the run. Sabir left it out.",
  truncated: "The stream stopped without an end. Sabir wrote an error in place of a clean finish.",
  stray: "An end or an answer came for something that never began. Sabir left it out.",
  resumed_unknown: "A result came for a call that neither this run nor its request has.",
  provisional: "A provisional result was held back, because the call's own was to follow.",
};

export const fates = {
  folded: "The client's dialect has no form for this. It is shown in another form, without its structure.",
  dropped: "The client's dialect cannot carry this. It was left out.",
  extension: "It is sent where clients that do not know it ignore it.",
  deferred: "Nothing is written yet: it comes with a later record.",
  implied: "Nothing needs to be written: the client's dialect says it without a record.",
  copied: "Both sides speak the same dialect: the record was passed on as it is.",
};

export const lost = (fate) => fate === "folded" || fate === "dropped";

export const repaired = (name) => repairs[name] ?? "Sabir repaired the order of the stream.";

export const silence = (ms) => `Nothing came from the agent for ${(ms / 1000).toFixed(1)} s.`;
