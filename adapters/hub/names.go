package hub

// The names below are the closed vocabularies of the native dialect, of metric labels and of logs.

var kindNames = [kindCount]string{
	"none", "run.start", "run.end", "step.start", "step.end", "agent.start", "agent.end",
	"text.start", "text.delta", "text.end",
	"tool.start", "tool.args", "tool.ready", "tool.update", "tool.output", "tool.end",
	"ask", "answer", "plan", "usage", "notice", "source", "file", "data", "raw",
}

var statusNames = [statusCount]string{
	"", "done", "length", "limit", "refused", "filtered", "tools", "paused", "cancelled", "failed", "truncated",
	"pending", "running", "ok", "error", "denied", "aborted", "client", "unknown", "chosen", "expired", "unresolved",
}

var (
	chanNames    = [chanCount]string{"answer", "reasoning", "refusal", "result", "stdout", "stderr"}
	opNames      = [opCount]string{"append", "replace", "set", "patch", "merge", "emit"}
	levelNames   = [levelCount]string{"", "status", "intent", "info", "warning", "error"}
	scopeNames   = [scopeCount]string{"", "step", "run", "session"}
	askKindNames = [askKindCount]string{"", "permission", "question", "input", "auth"}
	flagNames    = [8]string{"synthetic", "resumed", "replayed", "transient", "invalid", "client_runs", "user", "lossy"}
)

// Kinds lists every kind, in the order of the constants.
func Kinds() []Kind {
	all := make([]Kind, 0, kindCount-1)
	for k := RunStart; k < kindCount; k++ {
		all = append(all, k)
	}
	return all
}

func (k Kind) String() string    { return name(kindNames[:], int(k)) }
func (s Status) String() string  { return name(statusNames[:], int(s)) }
func (c Chan) String() string    { return name(chanNames[:], int(c)) }
func (o Op) String() string      { return name(opNames[:], int(o)) }
func (l Level) String() string   { return name(levelNames[:], int(l)) }
func (s Scope) String() string   { return name(scopeNames[:], int(s)) }
func (w AskKind) String() string { return name(askKindNames[:], int(w)) }

// FlagNames lists the flags by bit, lowest first.
func FlagNames() []string { return flagNames[:] }

func name(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "invalid"
}

// ParseKind and its siblings turn a name back into its value; ok is false for a name outside the vocabulary.
func ParseKind(s []byte) (Kind, bool)       { return parse[Kind](kindNames[:], s) }
func ParseStatus(s []byte) (Status, bool)   { return parse[Status](statusNames[:], s) }
func ParseChan(s []byte) (Chan, bool)       { return parse[Chan](chanNames[:], s) }
func ParseOp(s []byte) (Op, bool)           { return parse[Op](opNames[:], s) }
func ParseLevel(s []byte) (Level, bool)     { return parse[Level](levelNames[:], s) }
func ParseScope(s []byte) (Scope, bool)     { return parse[Scope](scopeNames[:], s) }
func ParseAskKind(s []byte) (AskKind, bool) { return parse[AskKind](askKindNames[:], s) }

// ParseRole and its siblings do the same for the names of conversations and requests.
func ParseRole(s []byte) (Role, bool)             { return parse[Role](roleNames[:], s) }
func ParsePartKind(s []byte) (PartKind, bool)     { return parse[PartKind](partKindNames[:], s) }
func ParseTrigger(s []byte) (Trigger, bool)       { return parse[Trigger](triggerNames[:], s) }
func ParseChoiceMode(s []byte) (ChoiceMode, bool) { return parse[ChoiceMode](choiceModeNames[:], s) }
func ParseFormatKind(s []byte) (FormatKind, bool) { return parse[FormatKind](formatKindNames[:], s) }

func parse[T ~uint8](names []string, s []byte) (T, bool) {
	for i, n := range names {
		if n == string(s) {
			return T(i), true
		}
	}
	return 0, false
}
