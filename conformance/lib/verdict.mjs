// verdict is what is wrong with the reading of a case, as lines of text: the differences between what was meant and what
// the client understood, and its complaints. A control must be noticed.
export function verdict(theCase, faults) {
  if (!theCase.control) return faults;
  return faults.length > 0 ? [] : ["took no offence at a stream that is wrong on purpose"];
}
